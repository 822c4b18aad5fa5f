import { useId, useState } from 'preact/hooks';
import { getJson, send } from '../../../api/request.ts';
import type { Json, Stream, StreamComponents } from '../../../api/types.ts';
import { useAction } from '../../../api/useAction.ts';
import { useResource } from '../../../api/useResource.ts';
import { ErrorNote } from '../../../parts/Notes.tsx';
import { announce } from '../../../shell/Announcer.tsx';
import { isOwn, pathOf } from '../streams.ts';
import { RunAgainDialog } from './RunAgainDialog.tsx';

export interface RerunOption {
  /** `null`: the whole chain. */
  readonly from: string | null;
  /** Why the server would refuse it; `null` if it would not. */
  readonly refusal: { readonly statusCode: number; readonly message: string } | null;
}

export interface RerunRequest {
  readonly from: string | null;
  readonly patches?: Readonly<Record<string, Json>>;
  readonly reason?: string;
}

export const rerun = (streamId: string, request: RerunRequest) =>
  send<{ attempt: number }>('POST', `${pathOf(streamId)}/rerun`, { body: request });

interface RunAgainProps {
  readonly stream: Stream;
  readonly components: StreamComponents;
  readonly onStarted: () => void;
}

/** Runs an ended stream again: a failed one from the stage that failed, with one click. Where the data are gone, the button says so. */
export const RunAgain = (props: RunAgainProps) => (isOwn(props.stream) ? <OwnersRunAgain {...props} /> : null);

const OwnersRunAgain = ({ stream, components, onStarted }: RunAgainProps) => {
  const { streamId, state, attempt } = stream;
  const hintId = useId();
  const [isOpen, setOpen] = useState(false);
  const path = `${pathOf(streamId)}/rerun`;
  const { data } = useResource({
    key: `${path} ${state} ${attempt}`,
    load: async (signal) => (await getJson<{ options: readonly RerunOption[] }>(path, { signal })).options,
  });
  const { busy, error, run } = useAction(async (request: RerunRequest) => {
    const started = await rerun(streamId, request);
    announce(`Attempt ${started.attempt} started`);
    setOpen(false);
    onStarted();
  });
  if (!data) return null;
  const refusal = data.every((option) => option.refusal !== null) ? data[0]?.refusal : undefined;
  if (refusal)
    return (
      <>
        <button type="button" class="button" disabled aria-describedby={hintId}>
          {refusal.statusCode === 410 ? 'Cannot run again: data are gone' : 'Cannot run again'}
        </button>
        <span class="hint" id={hintId}>
          {refusal.message}
        </span>
      </>
    );
  const failed = components.processors.find((component) => component.state === 'ERROR')?.processorId ?? null;
  const first = data.find(({ from, refusal: no }) => from === failed && no === null) ?? data.find(({ refusal: no }) => no === null);
  return (
    <>
      {state === 'FAILED' && first && (
        <button type="button" class="button primary" disabled={busy} onClick={() => void run({ from: first.from })}>
          {first.from === null ? 'Run again' : `Run again from ${first.from}`}
        </button>
      )}
      <button type="button" class="button" disabled={busy} onClick={() => setOpen(true)}>
        {state === 'FAILED' ? 'Run again with changes' : 'Run again'}
      </button>
      {error && !isOpen && <ErrorNote error={error} />}
      {isOpen && (
        <RunAgainDialog
          stream={stream}
          options={data}
          from={first?.from ?? null}
          busy={busy}
          error={error}
          onRun={(request) => void run(request)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
};
