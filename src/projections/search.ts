import { isStreamEvent, type StreamData, type StreamEvent } from '../domain/stream/events.ts';
import { labelKey } from '../domain/stream/labels.ts';
import { isTranscriptEvent, type TranscriptEvent } from '../domain/transcript/events.ts';
import type { Projection } from './projection.ts';

/** A piece of text of a stream. Absent members: it has none. */
export interface SearchedPassage {
  kind: 'transcript' | 'summary' | 'answer' | 'text' | 'name';
  utterance?: string;
  /** Name of the speaker, otherwise the id. */
  speaker?: string;
  /** Its name and id, or those of several speakers, as `searchKey` makes them. */
  speakerKeys?: string[];
  /** Milliseconds. */
  start?: number;
  end?: number;
  text: string;
}

/** One kept stream that has not expired. */
export interface SearchDocument {
  streamId: string;
  subject: string;
  groupId: string;
  streamConfigurationTemplateId: string;
  createdTimestamp: string;
  /** `null` once its owner has been erased: its results are not read any more. */
  name: string | null;
  labels: string[];
  /** For filters. `null` without labels. */
  labelKeys: string[] | null;
  /** Of its audio, in milliseconds. */
  duration: number | null;
  /** Of all passages. `null` without speakers. */
  speakerKeys: string[] | null;
  /** The name, then the results. `null` while the results have to be read: see `complete`. */
  passages: SearchedPassage[] | null;
}

/** Adds the results of the stream, from their topics. */
export type ReadResults = (document: SearchDocument) => Promise<SearchDocument>;

const nameOf = (name: string | null): SearchedPassage[] => (name === null ? [] : [{ kind: 'name', text: name.normalize('NFC') }]);

/** The document with its name and these results. */
export const withResults = (document: SearchDocument, results: readonly SearchedPassage[]): SearchDocument => ({
  ...document,
  passages: [...nameOf(document.name), ...results],
});

const resultsIn = (passages: readonly SearchedPassage[]): SearchedPassage[] => passages.filter(({ kind }) => kind !== 'name');

const labelsOf = (labels: readonly string[]): Pick<SearchDocument, 'labels' | 'labelKeys'> => ({
  labels: [...labels],
  labelKeys: labels.length === 0 ? null : labels.map(labelKey),
});

const begun = (data: StreamData<'StreamCreated'>, createdTimestamp: string): SearchDocument => ({
  streamId: data.streamId,
  subject: data.creatorId,
  groupId: data.groupId,
  streamConfigurationTemplateId: data.configuration.streamConfigurationTemplateId,
  createdTimestamp,
  name: data.name,
  ...labelsOf(data.labels ?? []),
  duration: null,
  speakerKeys: null,
  passages: nameOf(data.name),
});

const renamed = (document: SearchDocument, name: string | null): SearchDocument => {
  const after = { ...document, name };
  return document.passages === null ? after : withResults(after, resultsIn(document.passages));
};

const evolve = (document: SearchDocument, event: StreamEvent | TranscriptEvent): SearchDocument | null => {
  switch (event.type) {
    case 'StreamCompleted':
    case 'StreamFailed':
    case 'StreamCanceled':
    case 'TranscriptEdited':
    case 'TranscriptEditUndone':
      return document.name === null ? document : { ...document, passages: null };
    case 'StreamRenamed':
      return renamed(document, event.data.name);
    case 'StreamLabeled':
      return { ...document, ...labelsOf(event.data.labels ?? []) };
    case 'StreamExpired':
      return null;
    default:
      return document;
  }
};

/** The texts of kept streams, found by their words: names, and results as of the end of the newest attempt, transcripts with their corrections. */
export const searchProjection: Projection<SearchDocument> = {
  name: 'search',
  version: 2,
  indexes: [
    ['subject', 'createdTimestamp'],
    ['subject', 'groupId', 'createdTimestamp'],
    ['subject', 'streamConfigurationTemplateId', 'createdTimestamp'],
    ['subject', 'labelKeys', 'createdTimestamp'],
    ['subject', 'speakerKeys', 'createdTimestamp'],
  ],
  fullText: { passages: 'passages', owner: 'subject', newestBy: 'createdTimestamp' },
  handles: [
    'StreamCreated',
    'StreamCompleted',
    'StreamFailed',
    'StreamCanceled',
    'StreamRenamed',
    'StreamLabeled',
    'StreamExpired',
    'TranscriptEdited',
    'TranscriptEditUndone',
  ] satisfies (StreamEvent | TranscriptEvent)['type'][],
  beginnings: ['StreamCreated'],
  personal: {
    owner: 'subject',
    orderedBy: 'createdTimestamp',
    redact: (document) =>
      document.name === null ? document : { ...document, name: null, ...labelsOf([]), duration: null, speakerKeys: null, passages: [] },
  },
  // `stream-<id>` or `transcript-<id>`.
  idsOf: (event) => [event.eventStream.slice(event.eventStream.indexOf('-') + 1)],
  evolve: (document, event) => {
    if (!isStreamEvent(event) && !isTranscriptEvent(event)) return document;
    if (event.type === 'StreamCreated') return event.data.persist ? begun(event.data, event.metadata.time) : null;
    return document && evolve(document, event);
  },
};
