import { useEffect, useRef, useState } from 'preact/hooks';
import type { Utterance, Word } from '../results.ts';
import { Block } from './Block.tsx';
import { blockOfWord, blocksOf } from './blocks.ts';
import { Tools } from './Tools.tsx';
import { useHeardWord } from './useHeardWord.ts';

interface TranscriptProps {
  readonly utterances: readonly Utterance[];
  /** The partial result of the utterance that is being spoken. */
  readonly tentative?: string;
  /** Follows the recording while it plays, and plays from the chosen word. */
  readonly audio?: HTMLAudioElement | null;
}

/**
 * Utterances with speaker and time. They are rendered in blocks, and only the blocks near the visible part exist in the page, so that
 * a transcript of many hours stays quick.
 */
export const Transcript = ({ utterances, tentative = '', audio = null }: TranscriptProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const [pinned, setPinned] = useState<number | null>(null);
  const [found, setFound] = useState<number | null>(null);
  const [showsConfidence, setShowsConfidence] = useState(false);
  const words = utterances.flatMap((utterance) => utterance.words);
  const blocks = blocksOf(utterances);
  const play = (word: Word | undefined) => {
    if (!audio || word?.start === null || word === undefined) return;
    audio.currentTime = word.start / 1000;
    void audio.play();
  };
  const cursor = useCursor(frame, words.length, (word) => setPinned(blockOfWord(blocks, word)));
  useHeardWord(frame, words, audio);
  useNewest(frame, tentative);
  return (
    <>
      <Tools
        utterances={utterances}
        showsConfidence={showsConfidence}
        onShowsConfidence={setShowsConfidence}
        onFound={(utterance) => {
          setFound(utterance);
          if (utterance === null) return;
          setPinned(blocks.findIndex(({ first, items }) => utterance >= first && utterance < first + items.length));
          afterRender(() => frame.current?.querySelector(`[data-utterance="${utterance}"]`)?.scrollIntoView({ block: 'center' }));
        }}
      />
      <div
        ref={frame}
        class={`transcript ${audio ? 'playable' : ''} ${showsConfidence ? 'shaded' : ''}`}
        role="group"
        aria-label={`Transcript${audio ? '. Use the arrow keys to choose a word and Enter to play from it.' : ''}`}
        tabIndex={0}
        onClick={({ target }) => {
          if (target instanceof HTMLElement && target.dataset.word) play(words[Number(target.dataset.word)]);
        }}
        onKeyDown={(event) => {
          if (!audio) return;
          if (event.key === 'ArrowRight') cursor.move(1);
          else if (event.key === 'ArrowLeft') cursor.move(-1);
          else if (event.key === 'Enter') play(words[cursor.at]);
          else return;
          event.preventDefault();
        }}
      >
        {blocks.map((block, n) => (
          <Block key={block.first} block={block} frame={frame} pinned={n === pinned} found={found} />
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

/** Two frames: Preact renders before the first, the browser has laid out before the second. */
const afterRender = (run: () => void): void => {
  requestAnimationFrame(() => requestAnimationFrame(run));
};

// A reader who has scrolled further up than this is not moved.
const NEAR_END_PIXELS = 160;

/** Keeps the end of a live transcript in view while more is spoken. */
const useNewest = (frame: { readonly current: HTMLElement | null }, tentative: string): void => {
  useEffect(() => {
    const box = frame.current;
    if (box && tentative !== '' && box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PIXELS) box.scrollTop = box.scrollHeight;
  }, [tentative]);
};

/** The word chosen with the arrow keys. */
const useCursor = (frame: { readonly current: HTMLElement | null }, count: number, onMove: (word: number) => void) => {
  const [at, setAt] = useState(-1);
  const move = (by: number) => {
    const next = Math.max(0, Math.min(count - 1, at + by));
    setAt(next);
    onMove(next);
    afterRender(() => {
      frame.current?.querySelector('.cursor')?.classList.remove('cursor');
      const word = frame.current?.querySelector(`[data-word="${next}"]`);
      word?.classList.add('cursor');
      word?.scrollIntoView({ block: 'nearest' });
    });
  };
  return { at, move };
};
