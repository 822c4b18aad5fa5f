import { useEffect, useRef, useState } from 'preact/hooks';
import { clockTime } from '../parts/format.ts';
import type { Utterance, Word } from './results.ts';

interface TranscriptProps {
  readonly utterances: readonly Utterance[];
  /** What is heard just now. */
  readonly tentative?: string;
  /** Goes with the words while it plays, and plays from the one that is chosen. */
  readonly audio?: HTMLAudioElement | null;
}

/** Utterances with who says them and when; words shaded by how sure the engine is. */
export const Transcript = ({ utterances, tentative = '', audio = null }: TranscriptProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const words = utterances.flatMap((utterance) => utterance.words);
  const play = (word: Word | undefined) => {
    if (!audio || word?.start === null || word === undefined) return;
    audio.currentTime = word.start / 1000;
    void audio.play();
  };
  const cursor = useCursor(frame, words.length);
  useHighlight(frame, words, audio);
  let first = 0;
  return (
    <div
      ref={frame}
      class={`transcript ${audio ? 'playable' : ''}`}
      role="group"
      aria-label={`Transcript${audio ? '. The arrow keys go from word to word, Enter plays from there.' : ''}`}
      tabIndex={audio ? 0 : -1}
      onClick={({ target }) => {
        if (target instanceof HTMLElement && target.dataset.word) play(words[Number(target.dataset.word)]);
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') cursor.move(1);
        else if (event.key === 'ArrowLeft') cursor.move(-1);
        else if (event.key === 'Enter') play(words[cursor.at]);
        else return;
        event.preventDefault();
      }}
    >
      {utterances.map((utterance, n) => {
        const from = first;
        first += utterance.words.length;
        return <Spoken key={n} utterance={utterance} first={from} />;
      })}
      {tentative && <p class="utterance tentative">{tentative}</p>}
    </div>
  );
};

/** The word that the arrow keys have come to. */
const useCursor = (frame: { readonly current: HTMLElement | null }, count: number) => {
  const [at, setAt] = useState(-1);
  const move = (by: number) => {
    const next = Math.max(0, Math.min(count - 1, at + by));
    frame.current?.querySelector('.cursor')?.classList.remove('cursor');
    const word = frame.current?.querySelector(`[data-word="${next}"]`);
    word?.classList.add('cursor');
    word?.scrollIntoView({ block: 'nearest' });
    setAt(next);
  };
  return { at, move };
};

/** Marks the word that is being heard: by hand, since the whole transcript need not be drawn again for it. */
const useHighlight = (frame: { readonly current: HTMLElement | null }, words: readonly Word[], audio: HTMLAudioElement | null) => {
  useEffect(() => {
    if (!audio) return;
    const mark = () => {
      const now = audio.currentTime * 1000;
      const heard = words.findLastIndex(({ start, end }) => start !== null && start <= now && now < (end ?? start) + 150);
      frame.current?.querySelector('.heard')?.classList.remove('heard');
      if (heard >= 0) frame.current?.querySelector(`[data-word="${heard}"]`)?.classList.add('heard');
    };
    audio.addEventListener('timeupdate', mark);
    return () => audio.removeEventListener('timeupdate', mark);
  }, [audio, words, frame]);
};

const Spoken = ({
  utterance: { text, words, start, speakers, channel },
  first,
}: {
  readonly utterance: Utterance;
  readonly first: number;
}) => (
  <p class="utterance">
    <span class="utterance-head">
      {start !== null && <span class="utterance-time">{clockTime(start)}</span>}
      {speakers.map((speaker) => (
        <span key={speaker} class={`speaker s${colourOf(speaker)}`}>
          {speaker.length <= 2 ? `Speaker ${speaker}` : speaker}
        </span>
      ))}
      {channel !== null && speakers.length === 0 && <span class="tag">Channel {channel}</span>}
    </span>
    <span class="utterance-text">
      {words.length === 0
        ? text
        : words.map((word, n) => (
            <span key={n} class={`word ${shadeOf(word.confidence)}`} data-word={first + n} title={titleOf(word)}>
              {word.word}
            </span>
          ))}
    </span>
  </p>
);

const SPEAKER_COLOURS = 6;
const colourOf = (speaker: string): number => [...speaker].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SPEAKER_COLOURS;

/** The less sure, the stronger. */
const shadeOf = (confidence: number | null): string =>
  confidence === null || confidence >= 0.9 ? '' : confidence >= 0.7 ? 'less' : confidence >= 0.4 ? 'little' : 'hardly';

const titleOf = ({ confidence, start }: Word): string =>
  [start === null ? '' : clockTime(start), confidence === null ? '' : `${Math.round(confidence * 100)} % sure`].filter(Boolean).join(', ');

export const ConfidenceLegend = () => (
  <p class="legend small quiet">
    Confidence: <span class="word">90 % and more</span> <span class="word less">from 70 %</span> <span class="word little">from 40 %</span>{' '}
    <span class="word hardly">less</span>
  </p>
);
