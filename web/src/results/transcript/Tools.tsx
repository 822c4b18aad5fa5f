import { useEffect, useRef, useState } from 'preact/hooks';
import { CheckField, TextField } from '../../parts/Field.tsx';
import { announce } from '../../shell/Announcer.tsx';
import type { Utterance } from '../results.ts';
import { asText, type Hit, matching } from './blocks.ts';

interface ToolsProps {
  readonly utterances: readonly Utterance[];
  /** Searched at first. */
  readonly find: string;
  readonly isEditing: boolean;
  readonly showsConfidence: boolean;
  readonly onShowsConfidence: (shows: boolean) => void;
  /** All occurrences of the searched text, and the one that the reader is at; `null` if there is none. */
  readonly onFound: (hits: readonly Hit[], hit: Hit | null, scrolls: boolean) => void;
}

/** Search, copy and the confidence switch of a transcript. */
export const Tools = ({ utterances, find, isEditing, showsConfidence, onShowsConfidence, onFound }: ToolsProps) => {
  const [text, setText] = useState(find);
  const [at, setAt] = useState(0);
  const found = matching(utterances, text);
  const isAtFirst = useRef(find !== '');
  if (isEditing) isAtFirst.current = false;
  const put = (next: number, among: readonly Hit[], scrolls: boolean) => {
    setAt(next);
    onFound(among, among[next] ?? null, scrolls);
  };
  const go = (next: number, among: readonly Hit[]) => {
    isAtFirst.current = false;
    put(next, among, true);
  };
  useEffect(() => {
    // The transcript of the machine is shown before the corrected one.
    if (isAtFirst.current) put(0, found, true);
    else put(Math.max(0, Math.min(at, found.length - 1)), found, false);
    // Other places, even as many, are other marks.
  }, [found.map(({ utterance, start }) => `${utterance}:${start}`).join()]);
  const step = (by: number) => found.length > 0 && go((at + by + found.length) % found.length, found);
  const hasConfidence = utterances.some(({ words }) => words.some(({ confidence }) => confidence !== null));
  return (
    <form
      class={`transcript-tools ${text.trim() === '' ? '' : 'searching'}`}
      role="search"
      aria-label="Search the transcript"
      onSubmit={(event) => {
        event.preventDefault();
        step(1);
      }}
    >
      <TextField
        label="Search"
        type="search"
        value={text}
        onInput={(value) => {
          setText(value);
          go(0, matching(utterances, value));
        }}
      />
      {text.trim() !== '' && (
        <>
          <span class="quiet small" role="status">
            {found.length === 0 ? 'No match' : `${at + 1} of ${found.length}`}
          </span>
          <button type="button" class="button" disabled={found.length === 0} onClick={() => step(-1)}>
            Previous
          </button>
          <button type="submit" class="button" disabled={found.length === 0}>
            Next
          </button>
        </>
      )}
      <button type="button" class="button" onClick={() => void copy(asText(utterances))}>
        Copy text
      </button>
      {hasConfidence && <CheckField label="Show confidence" checked={showsConfidence} onChange={onShowsConfidence} />}
      {showsConfidence && <ConfidenceLegend />}
    </form>
  );
};

/** Browsers allow the clipboard only over https or on the same machine. */
const copy = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
    announce('Transcript copied');
  } catch {
    announce('The browser does not allow copying here. Export the transcript as TEXT.');
  }
};

const ConfidenceLegend = () => (
  <p class="legend small quiet">
    Confidence: <span class="word">90 % or more</span> <span class="word less">from 70 %</span> <span class="word little">from 40 %</span>{' '}
    <span class="word hardly">less</span>
  </p>
);
