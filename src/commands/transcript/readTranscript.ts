import { messageOf } from '../../domain/stream/messageFrame.ts';
import { MESSAGE_SCHEMAS, type Transcription } from '../../domain/stream/messages.ts';
import { dataGone } from '../../domain/stream/rerunStream.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { machineContent, type TranscriptContent } from '../../domain/transcript/content.ts';
import { noRevision } from '../../domain/transcript/decisions.ts';
import { transcriptEventStream } from '../../domain/transcript/events.ts';
import { attemptAsOf, type TranscriptSource, transcriptSource } from '../../domain/transcript/source.ts';
import {
  inheritedNames,
  type KnownContent,
  type Revision,
  revisionsOf,
  stepsFrom,
  type TranscriptState,
  transcriptDecider,
} from '../../domain/transcript/state.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { TopicMissing, type Topics } from '../../stores/topics.ts';
import { load } from '../handle.ts';
import { type KnownTranscript, memoryOf } from '../memory.ts';
import { applyRevisions } from './applyRevisions.ts';

export interface TranscriptDeps {
  readonly log: EventLog;
  readonly topics: Pick<Topics, 'read'>;
}

/** Which revision of a transcript. Default: the newest of the newest attempt. */
export interface WhichRevision {
  readonly attempt?: number | undefined;
  readonly revision?: number | undefined;
  /** The newest of this time, ISO 8601 in UTC with milliseconds. */
  readonly asOf?: string | undefined;
}

/** One revision of a stream's transcript. */
export interface Transcript {
  readonly streamId: string;
  /** The attempt of the stream that made the transcription. */
  readonly attempt: number;
  /** 0 is the machine's. */
  readonly revision: number;
  /** The newest revision of this attempt. */
  readonly newest: number;
  readonly language: string | null;
  /** Milliseconds. */
  readonly duration: number;
  readonly content: TranscriptContent;
}

/** All revisions of a stream's transcript, by attempt. */
export const loadRevisions = (log: EventLog, streamId: string): Promise<TranscriptState> =>
  load(log, transcriptEventStream(streamId), transcriptDecider);

/**
 * A revision of the transcript of a stream that was just loaded. Rejects with a `Problem`: 404 without a transcription and for an unknown attempt or
 * revision, 409 while the transcription is made, 410 once the data are deleted.
 */
export const readTranscript = async (deps: TranscriptDeps, aggregate: StreamAggregate, which: WhichRevision = {}): Promise<Transcript> => {
  const { streamId } = aggregate.stream;
  const asked = which.attempt ?? (which.asOf === undefined ? undefined : attemptAsOf(aggregate, which.asOf));
  const source = transcriptSource(aggregate, asked);
  const { attempt } = source;
  const state = await loadRevisions(deps.log, streamId);
  const revisions = revisionsOf(state, attempt);
  const newest = revisions.length;
  const { revision = which.asOf === undefined ? newest : revisions.filter(({ time }) => time <= (which.asOf ?? time)).length } = which;
  if (revision > newest) throw noRevision(attempt, revision, newest);
  const known = await knownTranscript(deps, streamId, source, state);
  const content = await contentAt(known, revisions, revision);
  if (revision === newest) memoryOf(deps.log).transcripts.set(streamId, withRecent(known, { revision, content }));
  const duration = Math.max(known.duration, source.audioLength);
  return { streamId, attempt, revision, newest, content, language: known.language, duration };
};

/** Keeps the content of a new revision, so that it need not be made again. */
export const rememberRevision = (log: EventLog, { streamId, attempt }: Transcript, newest: KnownContent): void => {
  const { transcripts } = memoryOf(log);
  const known = transcripts.get(streamId);
  if (known?.attempt === attempt) transcripts.set(streamId, withRecent(known, newest));
};

/** Enough for somebody who takes back a few edits. They share the utterances that no edit changes. */
const MOST_RECENT = 20;

const withRecent = (known: KnownTranscript, newest: KnownContent): KnownTranscript => ({
  ...known,
  recent: [newest, ...known.recent.filter(({ revision }) => revision !== newest.revision)].slice(0, MOST_RECENT),
});

/** Made from the nearest known revision. */
const contentAt = async (
  { recent, machine }: KnownTranscript,
  revisions: readonly Revision[],
  revision: number,
): Promise<TranscriptContent> => {
  const ways = [...recent, machine].flatMap(({ revision: from, content }) => {
    const steps = stepsFrom(revisions, from, revision);
    return steps ? [{ content, steps }] : [];
  });
  const [shortest] = ways.toSorted((a, b) => a.steps.length - b.steps.length);
  if (!shortest) throw new Error('revision 0 does not lead to a revision');
  return applyRevisions(shortest.content, shortest.steps);
};

const knownTranscript = async (
  { log, topics }: TranscriptDeps,
  streamId: string,
  { attempt, topic }: TranscriptSource,
  state: TranscriptState,
): Promise<KnownTranscript> => {
  const remembered = memoryOf(log).transcripts.get(streamId);
  if (remembered?.attempt === attempt) return remembered;
  const messages = await transcriptionsIn(topics, topic);
  const machine = { revision: 0, content: machineContent(messages, inheritedNames(state, attempt)) };
  return { attempt, ...aboutRecording(messages), machine, recent: [] };
};

/** The final transcriptions in a topic. Rejects with a `Problem` 410 if it is deleted. */
const transcriptionsIn = async (topics: Pick<Topics, 'read'>, topic: string): Promise<Transcription[]> => {
  const messages: Transcription[] = [];
  try {
    for await (const { data } of topics.read(topic)) {
      const { frameType, payloadSchema, payload } = messageOf(data);
      // Safe cast: the platform's own processors wrote the payload under the schema that the message names.
      if (frameType === 'final' && payloadSchema === MESSAGE_SCHEMAS.transcription) messages.push(payload as unknown as Transcription);
    }
  } catch (error) {
    if (error instanceof TopicMissing) throw dataGone('The transcription of this stream has been deleted.');
    throw error;
  }
  return messages;
};

const aboutRecording = (messages: readonly Transcription[]): Pick<KnownTranscript, 'words' | 'language' | 'duration'> => {
  const languages = messages.flatMap(({ metadata: { language } }) => (typeof language === 'string' ? [language] : []));
  const lengths = messages.flatMap(({ metadata: { recordingLength } }) => (typeof recordingLength === 'number' ? [recordingLength] : []));
  const ends = messages.map(({ end }) => end ?? 0);
  return {
    words: messages.reduce((sum, { words }) => sum + words.length, 0),
    language: languages[0] ?? null,
    duration: [...lengths.slice(0, 1), ...ends].reduce((a, b) => Math.max(a, b), 0),
  };
};
