import { useState } from 'preact/hooks';
import { ErrorNote, Note } from '../../parts/Notes.tsx';
import { HistoryDialog } from './HistoryDialog.tsx';
import { editInWords } from './history.ts';
import { ReplaceForm } from './ReplaceForm.tsx';
import type { Editing } from './useEditing.ts';

interface EditToolsProps {
  readonly streamId: string;
  readonly editing: Editing;
}

/** Undo, history, find and replace, and what to do about a conflict. Stays in view with the player. */
export const EditTools = ({ streamId, editing }: EditToolsProps) => {
  const [replaces, setReplaces] = useState(false);
  const [showsHistory, setShowsHistory] = useState(false);
  const isUnchanged = editing.transcript.revision === 0;
  return (
    <div class="edit-tools">
      {editing.conflict && <ConflictNote editing={editing} />}
      {editing.error && <ErrorNote error={editing.error} onClose={editing.clearError} />}
      {editing.isOn && (
        <div class="edit-bar" role="group" aria-label="Editing">
          <button type="button" class="button" disabled={editing.busy || isUnchanged} onClick={() => void editing.undo()}>
            Undo
          </button>
          <button type="button" class="button" disabled={isUnchanged} onClick={() => setShowsHistory(true)}>
            History
          </button>
          <button type="button" class="button" aria-expanded={replaces} onClick={() => setReplaces(!replaces)}>
            Find and replace
          </button>
          <button type="button" class="button primary" disabled={editing.busy} onClick={() => void editing.turn(false)}>
            Done
          </button>
        </div>
      )}
      {editing.isOn && replaces && <ReplaceForm editing={editing} />}
      {showsHistory && <HistoryDialog streamId={streamId} onClose={() => setShowsHistory(false)} />}
    </div>
  );
};

/** Both versions: what the reader wanted to save, and what somebody else wrote, which the page now shows. */
const ConflictNote = ({ editing: { conflict, settle, transcript, busy } }: { readonly editing: Editing }) => (
  <Note tone="warn">
    <p>
      <strong>Somebody else changed this transcript first.</strong> The page shows their version. Yours is not lost:
    </p>
    <ul>
      {conflict?.edits.map((edit, n) => (
        <li key={n}>
          You {editInWords(edit)}
          {edit.op === 'text' && `; it is now “${transcript.utterances.find(({ id }) => id === edit.utterance)?.text.trim() ?? ''}”`}.
        </li>
      ))}
    </ul>
    <div class="actions">
      <button type="button" class="button" disabled={busy} onClick={() => settle(true)}>
        Save mine as well
      </button>
      <button type="button" class="button" disabled={busy} onClick={() => settle(false)}>
        Keep theirs
      </button>
    </div>
  </Note>
);
