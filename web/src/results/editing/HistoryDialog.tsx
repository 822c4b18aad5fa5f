import { useState } from 'preact/hooks';
import { useResource } from '../../api/useResource.ts';
import { Pager } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { Loaded } from '../../parts/Notes.tsx';
import { Time } from '../../parts/Time.tsx';
import { session } from '../../shell/session.ts';
import { type EditRecord, editInWords, readHistory } from './transcript.ts';

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
              {found.content.map((record) => (
                <li key={record.revision} class={record.undone ? 'undone' : ''}>
                  <p class="quiet small">
                    <Time at={record.time} exact /> · {actorOf(record)} {record.undone && '· undone'}
                  </p>
                  <p>{record.edits?.map(editInWords).join(', ') ?? 'The words are deleted.'}</p>
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

const actorOf = ({ actor, actorName }: EditRecord): string => {
  const caller = session.value?.caller;
  const own = [caller?.credential?.id, caller?.session?.id].some((id) => id !== undefined && actor.includes(id));
  return own ? 'You' : (actorName ?? actor);
};
