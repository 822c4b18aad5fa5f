import { useState } from 'preact/hooks';
import { getJson, send } from '../../api/request.ts';
import { RETENTION } from '../../api/serverSettings.ts';
import type { Stream } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { useResource } from '../../api/useResource.ts';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { duration, moment } from '../../parts/format.ts';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { isOwn, pathOf } from './streams.ts';

interface StreamRetention {
  /** `null` if the data are kept until someone deletes them, and while the stream runs, unless its owner asked for a time. */
  readonly until: string | null;
  /** `null` without a bound. */
  readonly latest: string | null;
}

const MINUTE = 60_000;

/** When the data of a stream are deleted, and how its owner changes that. */
export const Retention = ({ stream }: { readonly stream: Stream }) => {
  const [isOpen, setOpen] = useState(false);
  const { streamId, state, attempt, configuration } = stream;
  const path = `${pathOf(streamId)}/retention`;
  const retention = useResource({
    key: `${path} ${state} ${attempt}`,
    load: (signal) => getJson<StreamRetention>(path, { signal }),
  });
  if (state === 'EXPIRED') return <>deleted</>;
  const { until = null, latest = null } = retention.data ?? {};
  const isKept = configuration.processors.some(({ egress }) => egress.persist);
  const period = state === 'READY' ? periodOf(isKept) : 'you delete them';
  return (
    <>
      {until !== null ? (
        <>
          <Time at={until} exact />{' '}
          <span class="quiet">
            (<Time at={until} />)
          </span>
        </>
      ) : (
        retention.data && period
      )}{' '}
      {retention.error && (
        <>
          <span role="alert">{retention.error.message}</span>{' '}
          <button type="button" class="button small-button" onClick={retention.reload}>
            Try again
          </button>{' '}
        </>
      )}
      {retention.data && isOwn(stream) && (
        <button type="button" class="button small-button" onClick={() => setOpen(true)}>
          Change
        </button>
      )}
      {isOpen && (
        <KeepDialog
          path={path}
          until={until}
          latest={latest}
          onClose={() => setOpen(false)}
          onKept={() => {
            setOpen(false);
            retention.reload();
          }}
        />
      )}
    </>
  );
};

/** For a running stream. */
const periodOf = (isKept: boolean): string => {
  const period = isKept ? RETENTION.persistent : RETENTION.ephemeral;
  return isKept && period === 0 ? 'you delete them' : `${duration(period)} after it ends`;
};

interface KeepDialogProps {
  readonly path: string;
  readonly until: string | null;
  readonly latest: string | null;
  readonly onClose: () => void;
  readonly onKept: () => void;
}

const KeepDialog = ({ path, until, latest, onClose, onKept }: KeepDialogProps) => {
  const [isEndless, setEndless] = useState(latest === null);
  const [text, setText] = useState(localTime(Date.parse(latest ?? until ?? '') || Date.now() + 30 * 1_440 * MINUTE));
  const { busy, error, run } = useAction(async () => {
    const wanted = isEndless ? null : new Date(text).toISOString();
    await send('PUT', path, { body: { until: wanted } });
    announce(wanted === null ? 'Kept until you delete the data' : `Kept until ${moment(wanted)}`);
    onKept();
  });
  const problem = isEndless ? undefined : problemOf(Date.parse(text), latest);
  return (
    <FormDialog
      title="How long the data are kept"
      submit="Save"
      disabled={busy || problem !== undefined}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      {latest === null && (
        <SelectField
          label="Keep the data"
          value={isEndless ? 'endless' : 'time'}
          onChange={(value) => setEndless(value === 'endless')}
          options={[
            ['endless', 'Until I delete them'],
            ['time', 'Until a time'],
          ]}
        />
      )}
      {!isEndless && (
        <TextField
          label="Keep until"
          type="datetime-local"
          value={text}
          onInput={setText}
          error={problem}
          hint={latest === null ? 'After this time, the recording and its results are deleted.' : `At the latest ${moment(latest)}.`}
        />
      )}
    </FormDialog>
  );
};

const problemOf = (at: number, latest: string | null): string | undefined => {
  if (Number.isNaN(at)) return 'Enter a date and a time.';
  if (latest !== null && at > Date.parse(latest)) return `This server keeps the data until ${moment(latest)} at the latest.`;
  return at <= Date.now() ? 'This time has passed. Enter a later one.' : undefined;
};

/** As a field for local times has it, to the minute below. */
const localTime = (time: number): string => {
  const local = new Date(time - new Date(time).getTimezoneOffset() * MINUTE);
  return local.toISOString().slice(0, 16);
};
