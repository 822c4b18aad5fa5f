import { useRef } from 'preact/hooks';
import { ConfirmButton } from '../../../parts/Dialog.tsx';
import { count, counted } from '../../../parts/format.ts';
import { Note } from '../../../parts/Notes.tsx';
import { href } from '../../../shell/place.ts';
import { type BulkRerun, stopBulkRerun } from './bulkReruns.ts';

interface BulkRerunNotesProps {
  readonly reruns: readonly BulkRerun[];
  readonly onStopped: () => void;
}

/** How far reruns of many streams are. Those that were seen running are shown to their end. */
export const BulkRerunNotes = ({ reruns, onStopped }: BulkRerunNotesProps) => {
  const seen = useRef(new Set<string>());
  for (const { requestId, state } of reruns) if (state === 'RUNNING') seen.current.add(requestId);
  return (
    <>
      {reruns
        .filter(({ requestId }) => seen.current.has(requestId))
        .map((rerun) => (
          <div key={rerun.requestId} class="bulk-rerun" role="group" aria-label="Streams that run again">
            <Note tone={rerun.refused > 0 ? 'warn' : 'info'}>
              <p>
                <strong>Running again{rerun.from === null ? '' : ` from ${rerun.from}`}:</strong> {count(rerun.started)} of{' '}
                {counted(rerun.queued, 'stream')} started
                {rerun.state === 'RUNNING' && `, ${count(rerun.waiting)} waiting for their turn`}
                {rerun.state === 'CANCELED' && ', stopped'}
                {rerun.refused > 0 && `, ${count(rerun.refused)} refused`}.
              </p>
              {rerun.refusals.map(({ streamId, message }) => (
                <p key={streamId} class="small">
                  <a href={href(['streams', streamId])}>{streamId}</a>: {message}
                </p>
              ))}
              {rerun.state === 'RUNNING' && (
                <div class="actions">
                  <ConfirmButton
                    label="Stop"
                    onConfirm={async () => {
                      await stopBulkRerun(rerun.requestId);
                      onStopped();
                    }}
                  >
                    Streams that wait are not started. Streams that have started continue.
                  </ConfirmButton>
                </div>
              )}
            </Note>
          </div>
        ))}
    </>
  );
};
