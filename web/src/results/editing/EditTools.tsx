import { useState } from 'preact/hooks';
import { CheckField, TextField } from '../../parts/Field.tsx';
import { ErrorNote, Note } from '../../parts/Notes.tsx';
import { HistoryDialog } from './HistoryDialog.tsx';
import { editInWords } from './transcript.ts';
import type { Editing } from './useEditing.ts';

interface EditToolsProps {
  readonly streamId: string;
  readonly editing: Editing;
}

/** Find and replace, undo and history, and what to do about a conflict. */
export const EditTools = ({ streamId, editing }: EditToolsProps) => {
  const [find, setFind] = useState('');
  const [by, setBy] = useState('');
  const [matchCase, setMatchCase] = useState(false);
  const [wholeWords, setWholeWords] = useState(true);
  const [replaces, setReplaces] = useState(false);
  const [showsHistory, setShowsHistory] = useState(false);
  return (
    <div class="stack edit-tools">
      {editing.conflict && <ConflictNote editing={editing} />}
      {editing.error && <ErrorNote error={editing.error} />}
      <p class="hint">Click a word to correct it. Enter saves, Escape cancels. Click a speaker to name them.</p>
      <div class="actions">
        <button
          type="button"
          class="button"
          disabled={editing.busy || editing.transcript.revision === 0}
          onClick={() => void editing.undo()}
        >
          Undo
        </button>
        <button type="button" class="button" disabled={editing.transcript.revision === 0} onClick={() => setShowsHistory(true)}>
          History
        </button>
        <button type="button" class="button" aria-expanded={replaces} onClick={() => setReplaces(!replaces)}>
          Find and replace
        </button>
      </div>
      {replaces && (
        <form
          class="transcript-tools"
          aria-label="Find and replace"
          onSubmit={(event) => {
            event.preventDefault();
            void editing.save({ op: 'replace', find, with: by, matchCase, wholeWords });
          }}
        >
          <TextField label="Find" value={find} onInput={setFind} />
          <TextField label="Replace with" value={by} onInput={setBy} />
          <CheckField label="Match case" checked={matchCase} onChange={setMatchCase} />
          <CheckField label="Whole words" checked={wholeWords} onChange={setWholeWords} />
          <button type="submit" class="button" disabled={editing.busy || find === ''}>
            Replace all
          </button>
        </form>
      )}
      {showsHistory && <HistoryDialog streamId={streamId} onClose={() => setShowsHistory(false)} />}
    </div>
  );
};

/** Both versions: what the reader wanted to save, and what somebody else wrote, which the page now shows. */
const ConflictNote = ({ editing: { conflict, settle, transcript } }: { readonly editing: Editing }) => (
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
      <button type="button" class="button" onClick={() => settle(true)}>
        Save mine as well
      </button>
      <button type="button" class="button" onClick={() => settle(false)}>
        Keep theirs
      </button>
    </div>
  </Note>
);
