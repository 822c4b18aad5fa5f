import { useEffect, useRef, useState } from 'preact/hooks';
import { clockTime } from '../../parts/format.ts';
import type { Utterance, Word } from '../results.ts';
import type { TranscriptBlock } from './blocks.ts';

// Pixels around the visible part within which blocks are rendered, and the height of an utterance before it was measured.
const MARGIN = 1_200;
const ESTIMATED_HEIGHT = 38;

interface BlockProps {
  readonly block: TranscriptBlock;
  readonly frame: { readonly current: HTMLElement | null };
  /** Rendered wherever it is. */
  readonly pinned: boolean;
  /** Index of the utterance to mark. */
  readonly found: number | null;
}

/** A block of utterances, replaced by an empty box of its height while it is far from the visible part. */
export const Block = ({ block: { first, firstWord, items }, frame, pinned, found }: BlockProps) => {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef<number | null>(null);
  const [isNear, setNear] = useState(first === 0);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        if (!entry.isIntersecting) height.current = element.offsetHeight;
        setNear(entry.isIntersecting);
      },
      { root: frame.current, rootMargin: `${MARGIN}px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  const isRendered = isNear || pinned;
  const blank = `${height.current ?? items.length * ESTIMATED_HEIGHT}px`;
  let word = firstWord;
  return (
    <div ref={box} class="transcript-block" style={isRendered ? undefined : { height: blank }}>
      {isRendered &&
        items.map((utterance, n) => {
          const from = word;
          word += utterance.words.length;
          return <Spoken key={first + n} utterance={utterance} index={first + n} firstWord={from} isFound={first + n === found} />;
        })}
    </div>
  );
};

interface SpokenProps {
  readonly utterance: Utterance;
  readonly index: number;
  readonly firstWord: number;
  readonly isFound: boolean;
}

const Spoken = ({ utterance: { text, words, start, speakers, channel }, index, firstWord, isFound }: SpokenProps) => (
  <p class={`utterance ${isFound ? 'found' : ''}`} data-utterance={index}>
    <span class="utterance-head">
      {start !== null && <span class="utterance-time">{clockTime(start)}</span>}
      {speakers.map((speaker) => (
        <span key={speaker} class={`speaker s${colourOf(speaker)}`}>
          {speaker.length <= 2 ? `Speaker ${speaker}` : speaker}
        </span>
      ))}
      {channel !== null && speakers.length === 0 && <span class="tag">Channel {channel}</span>}
    </span>
    <span class="utterance-text" dir="auto">
      {words.length === 0
        ? text
        : words.map((word, n) => (
            <span key={n} class={`word ${shadeOf(word.confidence)}`} data-word={firstWord + n} title={titleOf(word)}>
              {word.word}
            </span>
          ))}
    </span>
  </p>
);

const SPEAKER_COLOURS = 6;
const colourOf = (speaker: string): number => [...speaker].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SPEAKER_COLOURS;

/** Lower confidence is shaded more strongly. */
const shadeOf = (confidence: number | null): string =>
  confidence === null || confidence >= 0.9 ? '' : confidence >= 0.7 ? 'less' : confidence >= 0.4 ? 'little' : 'hardly';

const titleOf = ({ confidence, start }: Word): string =>
  [start === null ? '' : clockTime(start), confidence === null ? '' : `confidence ${Math.round(confidence * 100)} %`]
    .filter(Boolean)
    .join(', ');
