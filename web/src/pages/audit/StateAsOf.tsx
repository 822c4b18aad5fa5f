import { useId, useState } from 'preact/hooks';
import type { Resource } from '../../api/useResource.ts';
import { Differences } from '../../parts/Differences.tsx';
import { TextField } from '../../parts/Field.tsx';
import { JsonText } from '../../parts/JsonText.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { refine } from '../../shell/place.ts';
import { type EventStreamState, useEventStream } from './audit.ts';

interface StatesProps {
  readonly name: string;
  readonly asOf: string | null;
}

/** The state of an event stream at a moment, which is in the address as `asOf`. For auditors and administrators. */
export const StateAsOf = ({ name, asOf }: StatesProps) => <States name={name} asOf={asOf} now={useEventStream(name, null, null)} />;

/** The same for an event stream whose present state has been read. */
export const States = ({ name, asOf, now }: StatesProps & { readonly now: Resource<EventStreamState> }) => (
  <Loaded resource={now}>
    {({ revision }) => (
      <div class="stack">
        <Card title="Point in time">
          <Moment last={Number(revision)} asOf={asOf} />
        </Card>
        <AsOf name={name} asOf={asOf} last={Number(revision)} />
      </div>
    )}
  </Loaded>
);

/** A slider over the revisions, and a field for a time. */
const Moment = ({ last, asOf }: { readonly last: number; readonly asOf: string | null }) => {
  const id = useId();
  const isRevision = asOf === null || /^\d+$/.test(asOf);
  const at = asOf !== null && isRevision ? Math.min(Number(asOf), last) : last;
  const [chosen, choose] = useState(at);
  const [time, setTime] = useState(isRevision ? '' : (asOf ?? ''));
  return (
    <div class="moment">
      <div class="field">
        <label for={id}>
          Revision {chosen} of {last}
        </label>
        <input
          id={id}
          type="range"
          min={0}
          max={last}
          value={chosen}
          disabled={last === 0}
          // Only the number changes while the slider moves, because every reading is recorded in the log.
          onInput={(event) => choose(Number(event.currentTarget.value))}
          onChange={(event) => {
            setTime('');
            refine({ asOf: event.currentTarget.value });
          }}
        />
      </div>
      <form
        class="at-time"
        onSubmit={(event) => {
          event.preventDefault();
          refine({ asOf: time });
        }}
      >
        <TextField label="Or at a time" type="datetime-local" value={time} onInput={setTime} />
        <button type="submit" class="button" disabled={time === ''}>
          Show
        </button>
      </form>
    </div>
  );
};

const AsOf = ({ name, asOf, last }: StatesProps & { readonly last: number }) => {
  // Compared with the revision before it, which shows what this event changed. A time names no single event.
  const revision = asOf === null ? last : /^\d+$/.test(asOf) ? Number(asOf) : null;
  const before = revision === null || revision === 0 ? null : String(revision - 1);
  const state = useEventStream(name, asOf, null);
  const change = useEventStream(name, before ?? asOf, before === null ? null : String(revision));
  return (
    <Loaded resource={state}>
      {(data) => (
        <>
          {before !== null && (
            <Card title={`Changes in revision ${data.revision}`}>
              <Loaded resource={change}>{({ difference = [] }) => <Differences changes={difference} />}</Loaded>
            </Card>
          )}
          <Card title={`State at revision ${data.revision}`}>
            <JsonText value={data.state} label="State" />
          </Card>
        </>
      )}
    </Loaded>
  );
};
