import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../../../api/errors.ts';
import { getJson, send } from '../../../api/request.ts';
import type { ListedStream, StreamComponents } from '../../../api/types.ts';
import { apiErrorOf } from '../../../api/useResource.ts';
import { ConfirmButton } from '../../../parts/Dialog.tsx';
import { Download } from '../../../parts/Download.tsx';
import { counted } from '../../../parts/format.ts';
import { announce } from '../../../shell/Announcer.tsx';
import { rerun } from '../runs/RunAgain.tsx';
import { isOwn, pathOf } from '../streams.ts';
import { KeepDialog } from './KeepDialog.tsx';
import { LabelDialog } from './LabelDialog.tsx';
import type { Selection } from './useSelection.ts';

interface BulkActionsProps {
  readonly streams: readonly ListedStream[];
  readonly selection: Selection;
  readonly onDone: () => void;
  /** Runs others than the selected rows again; shown while no row is selected. */
  readonly children: ComponentChildren;
}

/** Actions for the selected rows. */
export const BulkActions = ({ streams, selection, onDone, children }: BulkActionsProps) => {
  const all = streams.map(({ streamId }) => streamId);
  const chosen = streams.filter(({ streamId }) => selection.has(streamId));
  const deletable = chosen.filter(({ state }) => state !== 'EXPIRED');
  const runnable = chosen.filter(canRunAgain);
  const own = chosen.filter(isOwn);
  const kept = own.filter(({ state }) => state !== 'EXPIRED');
  const exported = kept.filter(({ state }) => state !== 'READY');
  const [dialog, setDialog] = useState<'labels' | 'keep' | null>(null);
  const done = (said: string) => () => {
    announce(said);
    setDialog(null);
    onDone();
  };
  return (
    <div class="bulk" role="group" aria-label="Chosen streams">
      <label class="row-choice">
        <input
          type="checkbox"
          checked={chosen.length > 0 && chosen.length === all.length}
          onChange={(event) => selection.choose(all, event.currentTarget.checked)}
        />
        {chosen.length === 0 ? 'Select all on this page' : `${chosen.length} selected`}
      </label>
      {chosen.length === 0 && streams.some(canRunAgain) && children}
      {exported.length > 0 && (
        <Download
          label="Export"
          path="/export-service/api/v1/export/ZIP"
          query={{ streams: exported.map(({ streamId }) => streamId) }}
          fileName="transcripts.zip"
          whenEmpty="These streams have nothing to export"
        />
      )}
      {own.length > 0 && (
        <button type="button" class="button" onClick={() => setDialog('labels')}>
          Label
        </button>
      )}
      {kept.length > 0 && (
        <button type="button" class="button" onClick={() => setDialog('keep')}>
          Keep
        </button>
      )}
      {dialog === 'labels' && <LabelDialog streams={own} onLabeled={done('Labels changed')} onClose={() => setDialog(null)} />}
      {dialog === 'keep' && <KeepDialog streams={kept} onKept={done('Saved')} onClose={() => setDialog(null)} />}
      {deletable.length > 0 && (
        <ConfirmButton
          label={`Delete data of ${counted(deletable.length, 'stream')}`}
          danger
          onConfirm={async () => {
            await forEach(deletable, async ({ streamId }) => send('DELETE', pathOf(streamId))).finally(onDone);
            announce('Data deleted');
            selection.clear();
          }}
        >
          <p>Deletes the uploaded bytes and all results at once. Running streams are canceled first. This cannot be undone.</p>
        </ConfirmButton>
      )}
      {runnable.length > 0 && (
        <ConfirmButton
          label={`Run ${counted(runnable.length, 'stream')} again`}
          onConfirm={async () => {
            await forEach(runnable, runAgain).finally(onDone);
            announce(`${counted(runnable.length, 'stream')} started again`);
            selection.clear();
          }}
        >
          <p>
            Failed streams run again from the stage that failed, completed ones from their first stage. Each new run is billed. New
            transcripts begin without your corrections; earlier attempts keep theirs.
          </p>
        </ConfirmButton>
      )}
    </div>
  );
};

const canRunAgain = (stream: ListedStream): boolean => isOwn(stream) && (stream.state === 'FAILED' || stream.state === 'COMPLETED');

/** A failed stream from the stage that failed, any other from its start. */
const runAgain = async ({ streamId, state }: ListedStream): Promise<void> => {
  const components = state === 'FAILED' ? await getJson<StreamComponents>(`${pathOf(streamId)}/components`) : null;
  const failed = components?.processors.find((processor) => processor.state === 'ERROR');
  await rerun(streamId, { from: failed?.processorId ?? null });
};

/** One after the other. The rest is done although some fail; those are named at the end. */
const forEach = async (streams: readonly ListedStream[], work: (stream: ListedStream) => Promise<unknown>): Promise<void> => {
  const failures: { readonly name: string; readonly error: ApiError }[] = [];
  for (const stream of streams) {
    try {
      await work(stream);
    } catch (error) {
      failures.push({ name: stream.name ?? stream.streamId, error: apiErrorOf(error) });
    }
  }
  const [first] = failures;
  if (!first) return;
  const { status, problem, reference, message } = first.error;
  const others = failures.length > 1 ? ` Another ${counted(failures.length - 1, 'stream')} failed too.` : '';
  throw new ApiError(status, `${first.name}: ${message}${others}`, problem, reference);
};
