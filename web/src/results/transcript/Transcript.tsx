import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Draft } from '../editing/draft.ts';
import type { Editing } from '../editing/useEditing.ts';
import type { Utterance } from '../results.ts';
import { coloursOf } from '../speakers.ts';
import { Block, type Reading } from './Block.tsx';
import { blockOfUtterance, blockOfWord, blocksOf, type Hit, type TranscriptBlock, utteranceAt } from './blocks.ts';
import { Tools } from './Tools.tsx';
import { useHeardWord } from './useHeardWord.ts';
import { afterRender, useSettle } from './useSettle.ts';

interface TranscriptProps {
  readonly utterances: readonly Utterance[];
  /** The partial result of the utterance that is being spoken. */
  readonly tentative?: string;
  /** Follows the recording while it plays, and plays from the chosen word. */
  readonly audio?: HTMLAudioElement | null;
  readonly momentAt?: Reading['momentAt'];
  /** Millisecond of the recording that the page is opened at. */
  readonly openedAt?: number | null;
  /** Searched at first. */
  readonly find?: string;
  /** The corrections of this transcript, if the caller may make some. */
  readonly editing?: Editing | null;
}

/**
 * Utterances with speaker and time, in the page's own scroll. They are rendered in blocks, and only the blocks near the window exist in
 * the page, so that a transcript of many hours stays quick.
 */
export const Transcript = ({
  utterances,
  tentative = '',
  audio = null,
  momentAt = null,
  openedAt = null,
  find = '',
  editing = null,
}: TranscriptProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const [pinned, setPinned] = useState<number | null>(null);
  const [found, setFound] = useState<{ readonly hits: readonly Hit[]; readonly hit: Hit | null }>(NOTHING);
  const [showsConfidence, setShowsConfidence] = useState(false);
  const words = useMemo(() => utterances.flatMap((utterance) => utterance.words), [utterances]);
  const blocks = useMemo(() => blocksOf(utterances), [utterances]);
  const colours = useMemo(() => coloursOf(utterances), [utterances]);
  const hits = useMemo(() => hitsOf(found.hits), [found.hits]);
  const playFrom = (at: number | null | undefined) => {
    if (!audio || at === null || at === undefined) return;
    audio.currentTime = at / 1000;
    void audio.play();
  };
  const choose = (word: number) => {
    cursor.put(word);
    if (!editing?.isOn) return playFrom(words[word]?.start);
    const draft = draftAt(blocks, word);
    if (draft) void editing.open(draft);
  };
  const writing = editing?.isOn && editing.draft ? utterances.findIndex(({ id }) => id === editing.draft?.utterance) : -1;
  const written = writing < 0 ? null : blockOfUtterance(blocks, writing);
  const keys = editing?.isOn ? 'correct it' : audio ? 'play from it' : null;
  const settle = useSettle();
  const show = (utterance: number, within: string, block: ScrollLogicalPosition) => {
    setPinned(blockOfUtterance(blocks, utterance));
    settle(() => frame.current?.querySelector(within) ?? null, block);
  };
  const cursor = useCursor(frame, words.length, (word) => setPinned(blockOfWord(blocks, word)));
  useHeardWord(frame, words, audio);
  useNewest(frame, tentative);
  const hasText = utterances.length > 0;
  const opened = openedAt === null || !hasText ? null : utteranceAt(utterances, openedAt);
  // A long transcript arrives in parts.
  const isReached = openedAt !== null && utterances.some(({ start }) => start !== null && start >= openedAt);
  useEffect(() => {
    if (openedAt === null || !hasText) return;
    const utterance = utteranceAt(utterances, openedAt);
    show(utterance, utteranceWith(utterance), 'center');
  }, [openedAt, hasText, isReached]);
  return (
    <>
      <Tools
        utterances={utterances}
        find={find}
        isEditing={editing?.isOn ?? false}
        showsConfidence={showsConfidence}
        onShowsConfidence={setShowsConfidence}
        onFound={(hits, hit, scrolls) => {
          setFound({ hits, hit });
          if (hit && scrolls) show(hit.utterance, `${utteranceWith(hit.utterance)} .current`, 'nearest');
        }}
      />
      <div
        ref={frame}
        class={`transcript ${keys ? 'playable' : ''} ${showsConfidence ? 'shaded' : ''}`}
        role="group"
        aria-label={`Transcript${keys ? `. Use the arrow keys to choose a word and Enter to ${keys}.` : ''}`}
        tabIndex={0}
        // A mouse that is pressed on another word does not scroll to the last one.
        onFocus={({ currentTarget }) => currentTarget.matches(':focus-visible') && cursor.mark()}
        onClick={({ target }) => {
          if (!(target instanceof HTMLElement)) return;
          if (target.dataset.word) choose(Number(target.dataset.word));
          if (target.dataset.moment) playFrom(Number(target.dataset.moment));
        }}
        onKeyDown={(event) => {
          if (!keys || event.target !== event.currentTarget) return;
          if (event.key === 'ArrowRight') cursor.move(1);
          else if (event.key === 'ArrowLeft') cursor.move(-1);
          else if (event.key === 'Enter') choose(cursor.at.current);
          else return;
          event.preventDefault();
        }}
      >
        {blocks.map((block, n) => (
          <Block
            key={block.first}
            block={block}
            pinned={n === pinned || n === written}
            {...{ hits, hit: found.hit, momentAt, opened, colours, editing }}
          />
        ))}
        {tentative && (
          <p class="utterance tentative" dir="auto">
            {tentative}
          </p>
        )}
      </div>
    </>
  );
};

const NOTHING = { hits: [], hit: null };

/** At the end of a word. A new word leaves it there. */
const PUNCTUATION = /[.,;:!?…]+$/;

/** The utterance of a word, with the word chosen. */
const draftAt = (blocks: readonly TranscriptBlock[], word: number): Draft | null => {
  const block = blocks[blockOfWord(blocks, word)];
  let first = block?.firstWord ?? 0;
  for (const { id, text, words } of block?.items ?? []) {
    if (id !== undefined && word < first + words.length) {
      const before = words
        .slice(0, word - first)
        .map((one) => one.word)
        .join('');
      const shown = words[word - first]?.word ?? '';
      // The words begin with a space, which the text leaves out at its start.
      const start = before.trimStart().length + (before.trim() === '' ? 0 : shown.length - shown.trimStart().length);
      return { utterance: id, text, chosen: [start, start + shown.trim().replace(PUNCTUATION, '').length] };
    }
    first += words.length;
  }
  return null;
};

const hitsOf = (hits: readonly Hit[]): Reading['hits'] => Map.groupBy(hits, ({ utterance }) => utterance);

const utteranceWith = (utterance: number): string => `[data-utterance="${utterance}"]`;

// A reader who has scrolled further up than this is not moved.
const NEAR_END_PIXELS = 240;

/** Keeps the end of a live transcript in view while more is spoken. */
const useNewest = (frame: { readonly current: HTMLElement | null }, tentative: string): void => {
  useEffect(() => {
    const last = frame.current?.lastElementChild;
    if (tentative === '' || !last) return;
    const below = last.getBoundingClientRect().bottom - innerHeight;
    if (below > 0 && below < NEAR_END_PIXELS) last.scrollIntoView({ block: 'nearest' });
  }, [tentative]);
};

/** The word chosen with the arrow keys. */
const useCursor = (frame: { readonly current: HTMLElement | null }, count: number, onMove: (word: number) => void) => {
  const at = useRef(-1);
  const unmark = () => frame.current?.querySelector('.cursor')?.classList.remove('cursor');
  // A word that was corrected is drawn new.
  const mark = () =>
    afterRender(() => {
      unmark();
      const word = frame.current?.querySelector(`[data-word="${at.current}"]`);
      word?.classList.add('cursor');
      word?.scrollIntoView({ block: 'nearest' });
    });
  const put = (word: number) => {
    unmark();
    at.current = word;
  };
  const move = (by: number) => {
    put(Math.max(0, Math.min(count - 1, at.current + by)));
    onMove(at.current);
    mark();
  };
  return { at, put, mark, move };
};
