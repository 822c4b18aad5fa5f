import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Utterance } from '../results.ts';
import type { Editing } from './useEditing.ts';

interface UtteranceEditorProps {
  readonly utterance: Utterance & { readonly id: string };
  readonly editing: Editing;
  /** Offsets of the word that was chosen. */
  readonly chosen: readonly [start: number, end: number] | null;
}

/** The text of an utterance while it is corrected. Enter saves, Escape cancels. */
export const UtteranceEditor = ({ utterance, editing, chosen }: UtteranceEditorProps) => {
  const { id, words } = utterance;
  const { transcript, draft, write, busy, conflict, save } = editing;
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draft?.text ?? '';
  // At once, so that no key is lost after the click.
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.focus();
    if (chosen) element.setSelectionRange(...chosen);
    const frame = element.closest<HTMLElement>('.transcript');
    return () => frame?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
  const leave = () => write(null);
  const split = async () => {
    const word = wordAt(utterance, field.current?.selectionStart ?? 0);
    await save({ op: 'split', utterance: id, word });
  };
  return (
    <span class="utterance-editor">
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label="Text of the utterance. Enter saves, Escape cancels."
        value={text}
        readOnly={busy || conflict !== null}
        onInput={({ currentTarget }) => write({ utterance: id, text: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') leave();
          else if (event.key === 'Enter' && !event.isComposing) void save();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="actions">
        <button type="button" class="button small-button primary" disabled={busy} onClick={() => void save()}>
          Save
        </button>
        <button type="button" class="button small-button" onClick={leave}>
          Cancel
        </button>
        {text === utterance.text && words.length > 1 && (
          <button type="button" class="button small-button" disabled={busy} title="At the cursor" onClick={() => void split()}>
            Split here
          </button>
        )}
        {text === utterance.text && id !== transcript.utterances.at(-1)?.id && (
          <button type="button" class="button small-button" disabled={busy} onClick={() => void save({ op: 'merge', utterance: id })}>
            Merge with the next
          </button>
        )}
      </span>
    </span>
  );
};

/** Index of the first word of the second half: the word at the offset, but never the first. */
const wordAt = ({ words }: Utterance, offset: number): number => {
  let end = 0;
  const at = words.findIndex(({ word }) => {
    end += word.length;
    return end > offset;
  });
  return Math.max(1, at < 0 ? words.length - 1 : at);
};
