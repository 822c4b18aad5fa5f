import { loadStream } from '../../commands/loadStream.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import type { Logger } from '../../logger.ts';
import { type ReadResults, type SearchDocument, type SearchedPassage, withResults } from '../../projections/search.ts';
import { DamagedEventStream } from '../../stores/eventStore.ts';
import { searchKey } from '../../stores/fullText/words.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { TopicDamaged, type Topics } from '../../stores/topics.ts';
import { speakerOf } from '../export/formats/speakers.ts';
import { EVERY_SINK } from '../export/parameters.ts';
import { resultsOf } from '../export/results.ts';
import { framesOf, isRaw, keptSinks, resultSinks, type Sink } from '../export/sinks.ts';
import type { Transcript, Utterance } from '../export/transcript.ts';

export interface ReadResultsDeps {
  readonly log: EventLog;
  readonly topics: Pick<Topics, 'read'>;
  readonly logger: Logger;
}

/** UTF-16 units of text of one stream that are searched. */
const MOST_TEXT = 2_000_000;

/** What a search finds of a stream besides its name: see `SearchDocument`. The results of damaged event streams and topics are left out. */
export const openReadResults =
  (deps: ReadResultsDeps): ReadResults =>
  async (document) => {
    if (document.passages !== null) return document;
    try {
      return await completed(deps, document);
    } catch (error) {
      if (!(error instanceof TopicDamaged || error instanceof DamagedEventStream || error instanceof SyntaxError)) throw error;
      deps.logger.warn({ err: error, streamId: document.streamId }, 'results left out of the search: they cannot be read');
      return withResults(document, []);
    }
  };

const completed = async ({ log, topics }: ReadResultsDeps, document: SearchDocument): Promise<SearchDocument> => {
  const aggregate = await loadStream(log, document.streamId);
  const passages = bounded(aggregate ? await passagesOf(topics, aggregate) : []);
  const speakerKeys = [...new Set(passages.flatMap((passage) => passage.speakerKeys ?? []))];
  const lengths = (aggregate?.processors ?? []).flatMap(({ quantities }) => quantities?.processedAudioLength ?? []);
  return {
    ...withResults(document, passages),
    duration: lengths.length === 0 ? null : Math.max(...lengths),
    speakerKeys: speakerKeys.length === 0 ? null : speakerKeys,
  };
};

const passagesOf = async (topics: ReadResultsDeps['topics'], aggregate: StreamAggregate): Promise<SearchedPassage[]> => {
  const { signal } = new AbortController();
  const sinks = keptSinks(aggregate, EVERY_SINK);
  const spoken = resultSinks(
    sinks.filter(({ processor }) => !isRaw(processor.destination.messageSchema)),
    { all: true },
  );
  const { transcript, enhanced, summaries, answers } = await resultsOf(topics, spoken, signal);
  const texts: SearchedPassage[] = [];
  for (const sink of sinks.filter(isText)) texts.push({ kind: 'text', text: await wholeText(topics, sink, signal) });
  return [
    ...spokenPassages('transcript', transcript),
    ...spokenPassages('text', enhanced),
    ...summaries.map((text): SearchedPassage => ({ kind: 'summary', text })),
    ...answers.map(({ content }): SearchedPassage => ({ kind: 'answer', text: content })),
    ...texts,
  ];
};

const isText = ({ processor }: Sink): boolean => processor.destination.messageSchema === MESSAGE_SCHEMAS.string;

const wholeText = async (topics: ReadResultsDeps['topics'], { processor }: Sink, signal: AbortSignal): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const { data } of framesOf(topics, processor.destination.topic, signal)) {
    text += decoder.decode(data, { stream: true });
    if (text.length > MOST_TEXT) break;
  }
  return text;
};

const spokenPassages = (kind: 'transcript' | 'text', transcript: Transcript | null): SearchedPassage[] => {
  if (!transcript) return [];
  const { utterances, transcription } = transcript;
  if (utterances.length === 0) return [{ kind, text: transcription.text }];
  return utterances.map((utterance, n) => ({ ...utterancePassage(utterance), kind, ...(kind === 'transcript' && { utterance: `u${n}` }) }));
};

const utterancePassage = (utterance: Utterance): Omit<SearchedPassage, 'kind'> => {
  const { start, end, text, speakerIds = [] } = utterance;
  const speaker = speakerOf(utterance);
  const speakers = speakerIds.length > 0 ? speakerIds : speaker === null ? [] : [speaker];
  return {
    ...(speaker !== null && { speaker, speakerKeys: speakers.map(searchKey) }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    text,
  };
};

/** Passages with text, at most `MOST_TEXT`. */
const bounded = (passages: readonly SearchedPassage[]): SearchedPassage[] => {
  let left = MOST_TEXT;
  return passages.flatMap((passage) => {
    const text = passage.text.normalize('NFC').trim().slice(0, left);
    left -= text.length;
    return text === '' ? [] : [{ ...passage, text }];
  });
};
