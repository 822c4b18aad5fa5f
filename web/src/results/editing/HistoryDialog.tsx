import { useState } from 'preact/hooks';
import { useResource } from '../../api/useResource.ts';
import { Pager } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { clockTime, counted } from '../../parts/format.ts';
import { Loaded } from '../../parts/Notes.tsx';
import { TextDifference } from '../../parts/TextDifference.tsx';
import { Time } from '../../parts/Time.tsx';
import { session } from '../../shell/session.ts';
import { type EditRecord, editInWords, readChanges, readHistory } from './history.ts';

/** Who corrected a transcript, when and how. */
export const HistoryDialog = ({ streamId, onClose }: { readonly streamId: string; readonly onClose: () => void }) => {
  const [page, setPage] = useState(0);
  const history = useResource({ key: `${streamId} ${page}`, load: (signal) => readHistory(streamId, page, signal) });
  return (
    <Dialog title="History" wide onClose={onClose}>
      <Loaded resource={history}>
        {(found) => (
          <>
            <ol class="history">
              {found.content.map((record, n) => (
                <li key={record.revision} class={record.undone ? 'undone' : ''}>
                  <p class="quiet small">
                    <Time at={record.time} exact /> · {actorOf(record)} {record.undone && '· undone'}
                  </p>
                  <p>{record.edits?.map(editInWords).join(', ') ?? 'The words are deleted.'}</p>
                  {record.edits?.some(({ op }) => op !== 'name') && <Changed streamId={streamId} record={record} isOpen={n < SHOWN} />}
                </li>
              ))}
            </ol>
            <Pager page={found} onPage={setPage} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
};

// Each reads the transcript twice.
const SHOWN = 1;
const MOST_LINES = 20;

interface ChangedProps {
  readonly streamId: string;
  readonly record: EditRecord;
  readonly isOpen: boolean;
}

/** The lines that a correction changed, before and after. */
const Changed = ({ streamId, record, isOpen: isOpenFirst }: ChangedProps) => {
  const [isOpen, setOpen] = useState(isOpenFirst);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="small">Before and after</summary>
      {isOpen && <Lines streamId={streamId} revision={record.revision} />}
    </details>
  );
};

const Lines = ({ streamId, revision }: { readonly streamId: string; readonly revision: number }) => {
  const changes = useResource({ key: `${streamId} ${revision}`, load: (signal) => readChanges(streamId, revision, signal) });
  return (
    <Loaded resource={changes}>
      {(lines) => (
        <ul class="plain corrections">
          {lines.slice(0, MOST_LINES).map(({ start, before, after }, n) => (
            <li key={n}>
              <span class="quiet small">
                {start !== null && `${clockTime(start)} `}
                <TextDifference before={(before ?? after)?.speaker ?? ''} after={(after ?? before)?.speaker ?? ''} />
              </span>{' '}
              <span dir="auto">
                <TextDifference before={before?.text ?? ''} after={after?.text ?? ''} />
              </span>
            </li>
          ))}
          {lines.length > MOST_LINES && <li class="quiet">And {counted(lines.length - MOST_LINES, 'more line')}.</li>}
        </ul>
      )}
    </Loaded>
  );
};

const actorOf = ({ actor, actorName }: EditRecord): string => {
  const caller = session.value?.caller;
  const own = [caller?.credential?.id, caller?.session?.id].some((id) => id !== undefined && actor.includes(id));
  return own ? 'You' : (actorName ?? actor);
};
