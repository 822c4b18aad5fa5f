import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clockTime } from '../../parts/format.ts';
import { SpeakerMenu } from '../editing/SpeakerMenu.tsx';
import { UtteranceEditor } from '../editing/UtteranceEditor.tsx';
import type { Editing } from '../editing/useEditing.ts';
import type { Utterance, Word } from '../results.ts';
import type { Hit, TranscriptBlock } from './blocks.ts';

// Pixels around the window within which blocks are rendered, and the height of an utterance before it was measured.
const MARGIN = 1_200;
const ESTIMATED_HEIGHT = 38;

/** What the utterances of all blocks share. */
export interface Reading {
  /** What was searched, and the occurrence that the reader is at. */
  readonly hits: ReadonlyMap<number, readonly Hit[]>;
  readonly hit: Hit | null;
  /** The address of a moment of the recording; `null` where the page has none. */
  readonly momentAt: ((milliseconds: number) => string) | null;
  /** Index of the utterance at the moment that the page is opened at. */
  readonly opened: number | null;
  /** Of the speakers. */
  readonly colours: ReadonlyMap<string, number>;
  /** The corrections of this transcript, if the caller may make some. */
  readonly editing: Editing | null;
}

interface BlockProps extends Reading {
  readonly block: TranscriptBlock;
  /** Rendered wherever it is. */
  readonly pinned: boolean;
}

/** A block of utterances, replaced by an empty box of its height while it is far from the window. */
export const Block = ({ block: { first, firstWord, items }, pinned, ...reading }: BlockProps) => {
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
      { rootMargin: `${MARGIN}px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const isRendered = isNear || pinned;
  const blank = `${height.current ?? items.length * ESTIMATED_HEIGHT}px`;
  let word = firstWord;
  return (
    <div ref={box} class="transcript-block" style={isRendered ? undefined : { height: blank }}>
      {isRendered &&
        items.map((utterance, n) => {
          const from = word;
          word += utterance.words.length;
          return (
            <Spoken
              key={first + n}
              utterance={utterance}
              index={first + n}
              firstWord={from}
              continues={isSameSpeaker(utterance, items[n - 1])}
              turn={turnFrom(items, n)}
              {...reading}
            />
          );
        })}
    </div>
  );
};

const isSameSpeaker = ({ speakers }: Utterance, before: Utterance | undefined): boolean =>
  speakers.length > 0 && speakers.join() === before?.speakers.join();

/** An utterance and those after it that the same speaker says without a break. */
const turnFrom = (items: readonly Utterance[], n: number): readonly Utterance[] => {
  const rest = items.slice(n + 1);
  const next = rest.findIndex((one, k) => !isSameSpeaker(one, items[n + k]));
  return items.slice(n, next < 0 ? items.length : n + 1 + next);
};

interface SpokenProps extends Reading {
  /** The speaker is the one of the utterance before, who is named there. */
  readonly continues: boolean;
  readonly turn: readonly Utterance[];
  readonly utterance: Utterance;
  readonly index: number;
  readonly firstWord: number;
}

const Spoken = ({ utterance, index, firstWord, continues, turn, hits, hit, momentAt, opened, colours, editing }: SpokenProps) => {
  const { id, start, speakers } = utterance;
  const colourOf = (speaker: string | undefined) => `s${colours.get(speaker ?? '') ?? 0}`;
  const isWritten = editing?.isOn && id !== undefined && editing.draft?.utterance === id;
  const isNamed = !continues || Boolean(editing?.isOn);
  const anchor = `--utterance-${index}`;
  return (
    <div
      class={`utterance ${isNamed ? '' : 'same'} ${index === opened ? 'opened' : ''}`}
      data-utterance={index}
      style={{ anchorName: anchor }}
    >
      <span class="utterance-head">
        {start !== null && <Moment at={start} momentAt={momentAt} />}
        {isNamed && editing && id !== undefined && (editing.isOn || speakers.length > 0) ? (
          <SpeakerMenu
            utterance={{ ...utterance, id }}
            // Without Edit, only the first line of a turn has a label.
            headed={editing.isOn ? [id] : turn.flatMap((one) => one.id ?? [])}
            editing={editing}
            colour={colourOf(speakers[0])}
            anchor={anchor}
          />
        ) : (
          isNamed &&
          speakers.map((speaker) => (
            <span key={speaker} class={`speaker ${colourOf(speaker)}`}>
              {speaker}
            </span>
          ))
        )}
      </span>
      {isWritten ? (
        <UtteranceEditor utterance={{ ...utterance, id }} editing={editing} chosen={editing.draft?.chosen ?? null} />
      ) : (
        <span class="utterance-text" dir="auto">
          <Words utterance={utterance} firstWord={firstWord} hits={hits.get(index) ?? []} hit={hit} />
        </span>
      )}
    </div>
  );
};

const Moment = ({ at, momentAt }: { readonly at: number; readonly momentAt: Reading['momentAt'] }) =>
  momentAt === null ? (
    <span class="utterance-time">{clockTime(at)}</span>
  ) : (
    <a class="utterance-time" href={momentAt(at)} data-moment={at}>
      {clockTime(at)}
    </a>
  );

interface WordsProps {
  readonly utterance: Utterance;
  readonly firstWord: number;
  readonly hits: readonly Hit[];
  readonly hit: Hit | null;
}

const Words = ({ utterance: { text, words }, firstWord, hits, hit }: WordsProps) => {
  if (words.length === 0) return <MarkedText text={text} hits={hits} hit={hit} />;
  let end = 0;
  return (
    <>
      {words.map((word, n) => {
        const start = end;
        end += word.word.length;
        const found = hits.find((one) => one.start < end && one.end > start);
        const bare = word.word.trim();
        const [before, after] = bare === '' ? [word.word, ''] : word.word.split(bare);
        return (
          <Fragment key={n}>
            {before}
            <span class={`word ${shadeOf(word.confidence)} ${markOf(found, hit)}`} data-word={firstWord + n} title={titleOf(word)}>
              {bare}
            </span>
            {after}
          </Fragment>
        );
      })}
    </>
  );
};

const MarkedText = ({ text, hits, hit }: { readonly text: string; readonly hits: readonly Hit[]; readonly hit: Hit | null }) => (
  <>
    {hits.map((one, n) => (
      <>
        {text.slice(hits[n - 1]?.end ?? 0, one.start)}
        <mark class={markOf(one, hit)}>{text.slice(one.start, one.end)}</mark>
      </>
    ))}
    {text.slice(hits.at(-1)?.end ?? 0)}
  </>
);

const markOf = (found: Hit | undefined, current: Hit | null): string =>
  found === undefined ? '' : found === current ? 'hit current' : 'hit';

/** Lower confidence is shaded more strongly. */
const shadeOf = (confidence: number | null): string =>
  confidence === null || confidence >= 0.9 ? '' : confidence >= 0.7 ? 'less' : confidence >= 0.4 ? 'little' : 'hardly';

const titleOf = ({ confidence, start }: Word): string =>
  [start === null ? '' : clockTime(start), confidence === null ? '' : `confidence ${Math.round(confidence * 100)} %`]
    .filter(Boolean)
    .join(', ');
