import type { Clock } from '../../clock.ts';
import { type Frame, type ReadTopicOptions, TopicDamaged, TopicMissing } from '../topics.ts';
import type { Frames } from './frames.ts';
import { patiently } from './patience.ts';
import type { TopicRecord, TopicRecords, WholeRecord } from './topicRecords.ts';

interface ReadDeps {
  readonly records: TopicRecords;
  readonly frames: Frames;
  readonly clock: Clock;
  /** The record, if this node has just stored it. */
  readonly stored?: WholeRecord | undefined;
}

const ASK_MILLISECONDS = 50;
/** A follower checks whether the topic has ended after the first, third, fifth ... read in a row that found fewer frames than requested. */
const SHORT_READS_PER_CHECK = 2;
const MOST_TOGETHER = 16;
/** Approximate bytes that one reader keeps in memory. */
const TOGETHER_BYTES = 2 * 1_048_576;

/**
 * Reads the frames of a topic from any node: their ids are known, so the next ones are requested, several at once while there are many. At the end
 * of an open topic a follower polls for the next id.
 */
export async function* readTopic(
  deps: ReadDeps,
  topic: string,
  { after = -1, follow = false, signal }: ReadTopicOptions,
): AsyncIterable<Frame> {
  const { frames, clock } = deps;
  // A follower waits out a change of the primary.
  const ask = <T>(attempt: () => Promise<T>): Promise<T> => (follow ? patiently(clock, attempt, signal) : attempt());
  const first = present(topic, deps.stored ?? (await ask(() => deps.records.getWhole(topic))));
  if (first.data) {
    yield* framesOf(first, after, signal);
    return;
  }
  let record: TopicRecord = first;
  let together = 1;
  for (let next = after + 1, shortReads = 0; ; ) {
    const end = record.manifest?.frames ?? Number.POSITIVE_INFINITY;
    if (next >= end) return;
    const count = Math.min(together, end - next);
    const { generation } = record;
    const from = next;
    const found = await ask(() => frames.get(topic, generation, from, count));
    for (const frame of found) {
      signal?.throwIfAborted();
      yield frame;
    }
    signal?.throwIfAborted();
    next += found.length;
    if (found.length === count) {
      together = nextTogether(together, found);
      shortReads = 0;
      continue;
    }
    together = 1;
    shortReads += 1;
    if (!follow || record.manifest || shortReads % SHORT_READS_PER_CHECK === 1) {
      const before = record;
      record = present(topic, await ask(() => deps.records.get(topic)), generation);
      if (before.manifest) throw new TopicDamaged(topic, next - 1);
      if (record.manifest) continue;
      if (!follow) return;
    }
    await clock.pause(ASK_MILLISECONDS, signal);
    signal?.throwIfAborted();
  }
}

function* framesOf({ wholeSince: at = 0, data = [] }: WholeRecord, after: number, signal: AbortSignal | undefined): Iterable<Frame> {
  for (const [sequence, bytes] of data.entries()) {
    signal?.throwIfAborted();
    if (sequence > after) yield { sequence, at, data: bytes };
  }
}

const present = <Found extends TopicRecord>(topic: string, record: Found | null, generation = record?.generation): Found => {
  if (!record || record.state === 'deleting' || record.generation !== generation) throw new TopicMissing(topic);
  return record;
};

/** Twice as many, within a limit of bytes. */
const nextTogether = (together: number, found: readonly Frame[]): number => {
  const largest = found.reduce((most, { data }) => Math.max(most, data.length), 1);
  return Math.max(1, Math.min(together * 2, MOST_TOGETHER, Math.floor(TOGETHER_BYTES / largest)));
};
