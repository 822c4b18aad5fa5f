import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CheckField, TextField } from '../../parts/Field.tsx';
import { counted } from '../../parts/format.ts';
import type { Editing } from './useEditing.ts';

/** Replaces a text wherever the transcript has it. */
export const ReplaceForm = ({ editing }: { readonly editing: Editing }) => {
  const [find, setFind] = useState('');
  const [by, setBy] = useState('');
  const [matchCase, setMatchCase] = useState(false);
  const [wholeWords, setWholeWords] = useState(true);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), []);
  const found = occurrences(editing, { find, matchCase, wholeWords });
  return (
    <form
      ref={form}
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
      <span class="quiet small" role="status">
        {find !== '' && (found === 0 ? 'No match' : `Matches ${counted(found, 'time')}`)}
      </span>
    </form>
  );
};

interface Wanted {
  readonly find: string;
  readonly matchCase: boolean;
  readonly wholeWords: boolean;
}

/** As the server finds them (`src/domain/transcript/applyEdits.ts`). */
const occurrences = ({ transcript }: Editing, { find, matchCase, wholeWords }: Wanted): number => {
  if (find === '') return 0;
  const literal = find.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const pattern = new RegExp(wholeWords ? `(?<!${LETTER})${literal}(?!${LETTER})` : literal, matchCase ? 'gv' : 'giv');
  return transcript.utterances.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
};

const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map((script) => `\\p{Script=${script}}`).join('');
/** Ends a whole word beside it. Words of scripts without spaces follow each other directly. */
const LETTER = `[[\\p{L}\\p{M}\\p{N}_]--[${UNSPACED}]]`;
