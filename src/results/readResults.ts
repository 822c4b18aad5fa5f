import { loadStream } from '../commands/loadStream.ts';
import { readTranscript } from '../commands/transcript/readTranscript.ts';
import { Problem } from '../domain/problem.ts';
import { audioLengthOf, withCompletedRuns } from '../domain/stream/attempts.ts';
import { MESSAGE_SCHEMAS } from '../domain/stream/messages.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import { textOf, type Utterance } from '../domain/transcript/content.ts';
import { shownSpeakers, speakerIdsOf, speakerOfChannel } from '../domain/transcript/speakers.ts';
import type { Logger } from '../logger.ts';
import { type ReadResults, type SearchDocument, type SearchedPassage, withResults } from '../projections/search.ts';
import { StoreUnavailable } from '../stores/eventStore.ts';
import { searchKey } from '../stores/fullText/words.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { TopicDamaged, type Topics } from '../stores/topics.ts';
import { resultsOf } from './results.ts';
import { EVERY_SINK, framesOf, isRaw, isTranscription, keptSinks, type Sink } from './sinks.ts';

export interface ReadResultsDeps {
  readonly log: EventLog;
  readonly topics: Pick<Topics, 'read'>;
  readonly logger: Logger;
}

/** UTF-16 units of a text that are searched. */
const MOST_TEXT = 2_000_000;
/** Of all passages of a stream as JSON: with its words, a document in MongoDB may take 16 MiB. Ten hours of speech take 2 MB. */
const MOST_BYTES = 8_000_000;

/**
 * What a search finds of a stream besides its name: see `SearchDocument`. Results that cannot be read are left out, because they must not stop the read
 * models. Rejects while a store is away.
 */
export const openReadResults =
  (deps: ReadResultsDeps): ReadResults =>
  async (document) => {
    if (document.passages !== null) return document;
    try {
      return await completed(deps, document);
    } catch (error) {
      if (isAway(error)) throw error;
      deps.logger.error({ err: error, streamId: document.streamId }, 'results left out of the search: they cannot be read');
      return withResults(document, []);
    }
  };

const isAway = (error: unknown): boolean =>
  error instanceof Problem ? error.statusCode === 503 : error instanceof StoreUnavailable && !(error instanceof TopicDamaged);

const completed = async (deps: ReadResultsDeps, document: SearchDocument): Promise<SearchDocument> => {
  const aggregate = await loadStream(deps.log, document.streamId);
  const passages = bounded(aggregate ? await passagesOf(deps, aggregate) : []);
  const speakerKeys = [...new Set(passages.flatMap((passage) => passage.speakerKeys ?? []))];
  return {
    ...withResults(document, passages),
    duration: aggregate && audioLengthOf(aggregate),
    speakerKeys: speakerKeys.length === 0 ? null : speakerKeys,
  };
};

const passagesOf = async (deps: ReadResultsDeps, aggregate: StreamAggregate): Promise<SearchedPassage[]> => {
  const { signal } = new AbortController();
  const sinks = keptSinks(withCompletedRuns(aggregate), EVERY_SINK);
  const others = sinks.filter((sink) => !isRaw(sink.processor.destination.messageSchema) && !isTranscription(sink));
  const { enhanced, summaries, answers } = await resultsOf(deps.topics, others, signal);
  const texts: SearchedPassage[] = [];
  for (const sink of sinks.filter(isText)) texts.push({ kind: 'text', text: await wholeText(deps.topics, sink, signal) });
  return [
    ...(keepsTranscription(aggregate) ? await transcriptPassages(deps, aggregate) : []),
    ...(enhanced ? enhanced.utterances.map(({ text }): SearchedPassage => ({ kind: 'text', text })) : []),
    ...summaries.map((text): SearchedPassage => ({ kind: 'summary', text })),
    ...answers.map(({ content }): SearchedPassage => ({ kind: 'answer', text: content })),
    ...texts,
  ];
};

/** Also if a later run of the transcription failed: then the transcript is that of the run before. */
const keepsTranscription = ({ stream }: StreamAggregate): boolean =>
  stream.configuration.processors.some(
    ({ egress, destination }) => egress.sink && egress.persist && destination.messageSchema === MESSAGE_SCHEMAS.transcription,
  );

/** The utterances of the newest revision. Empty if the data were deleted or a rerun has begun meanwhile: another event follows. */
const transcriptPassages = async (deps: ReadResultsDeps, aggregate: StreamAggregate): Promise<SearchedPassage[]> => {
  try {
    const { utterances, speakers } = (await readTranscript(deps, aggregate)).content;
    const names = new Map(speakers.map(({ id, name }) => [id, name]));
    return utterances.map((utterance) => utterancePassage(utterance, names));
  } catch (error) {
    if (error instanceof Problem && EXPECTED.has(error.statusCode)) return [];
    throw error;
  }
};

const EXPECTED: ReadonlySet<number> = new Set([404, 409, 410]);

const utterancePassage = ({ id, message }: Utterance, names: ReadonlyMap<string, string | null>): SearchedPassage => {
  const { start, end, channel } = message;
  const speakerIds = speakerIdsOf(message);
  const shown = shownSpeakers({ speakerIds, channel }, names);
  const ids = speakerIds.length > 0 || channel === null ? speakerIds : [speakerOfChannel(channel)];
  return {
    kind: 'transcript',
    utterance: id,
    ...(shown.length > 0 && { speaker: shown.join(', '), speakerKeys: [...new Set([...ids, ...shown].map(searchKey))] }),
    ...(start !== null && { start }),
    ...(end !== null && { end }),
    text: textOf(message),
  };
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

/** Passages with text, as many as fit. */
const bounded = (passages: readonly SearchedPassage[]): SearchedPassage[] => {
  let left = MOST_BYTES;
  return passages.flatMap((passage) => {
    const bounded = { ...passage, text: passage.text.slice(0, MOST_TEXT).normalize('NFC').trim() };
    const bytes = Buffer.byteLength(JSON.stringify(bounded));
    if (bounded.text === '' || bytes > left) return [];
    left -= bytes;
    return [bounded];
  });
};
