import { useState } from 'preact/hooks';
import { getJson, send } from '../../api/request.ts';
import { RETENTION } from '../../api/serverSettings.ts';
import type { Stream } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { useResource } from '../../api/useResource.ts';
import { TextField } from '../../parts/Field.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { duration, moment } from '../../parts/format.ts';
import { Time } from '../../parts/Time.tsx';
import { announce } from '../../shell/Announcer.tsx';
import { canKeepLonger, type StreamRetention } from './keeping.ts';
import { isOwn, pathOf } from './streams.ts';

/** When the data of a stream are deleted, and how its owner keeps them longer. */
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
  const period = `${duration(isKept ? RETENTION.persistent : RETENTION.ephemeral)} after it ends`;
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
      {canKeepLonger({ until, latest }) && isOwn(stream) && (
        <button type="button" class="button small-button" onClick={() => setOpen(true)}>
          Keep longer
        </button>
      )}
      {isOpen && latest !== null && (
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

interface KeepDialogProps {
  readonly path: string;
  readonly until: string | null;
  readonly latest: string;
  readonly onClose: () => void;
  readonly onKept: () => void;
}

const KeepDialog = ({ path, until, latest, onClose, onKept }: KeepDialogProps) => {
  const [text, setText] = useState(localTime(Date.parse(latest)));
  const { busy, error, run } = useAction(async () => {
    const wanted = new Date(text).toISOString();
    await send('PUT', path, { body: { until: wanted } });
    announce(`Kept until ${moment(wanted)}`);
    onKept();
  });
  const at = Date.parse(text);
  const problem = Number.isNaN(at)
    ? 'Enter a date and a time.'
    : at > Date.parse(latest)
      ? `This server keeps the data until ${moment(latest)} at the latest.`
      : until !== null && at <= Date.parse(until)
        ? `The data are kept until ${moment(until)} already. Enter a later time.`
        : undefined;
  return (
    <FormDialog
      title="Keep the data longer"
      submit="Keep longer"
      disabled={busy || problem !== undefined}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <TextField
        label="Keep until"
        type="datetime-local"
        value={text}
        onInput={setText}
        error={problem}
        hint={`At the latest ${moment(latest)}. The time can only be moved later.`}
      />
    </FormDialog>
  );
};

/** As a field for local times has it, to the minute below. */
const localTime = (time: number): string => {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
};
