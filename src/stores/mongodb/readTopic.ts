import type { Clock } from '../../clock.ts';
import type { ReadFrames, ReadOptions, TopicReader } from '../topics/topicStorage.ts';
import { TopicDamaged, TopicMissing } from '../topics.ts';
import type { Frames } from './frames.ts';
import { patiently } from './patience.ts';
import type { TopicRecord, TopicRecords } from './topicRecords.ts';

interface ReadDeps {
  readonly records: TopicRecords;
  readonly frames: Frames;
  readonly clock: Clock;
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
export class TopicRecordReader implements TopicReader {
  readonly #deps: ReadDeps;
  readonly #options: Pick<ReadOptions<unknown>, 'follow' | 'signal'>;
  #record: TopicRecord;
  #next: number;
  #together = 1;
  /** Reads in a row that found fewer frames than requested, the last one not yet answered with `wait`. */
  #shortReads = 0;
  #isShort = false;

  constructor(deps: ReadDeps, record: TopicRecord, options: Omit<ReadOptions<unknown>, 'opened'>) {
    this.#deps = deps;
    this.#record = record;
    this.#options = options;
    this.#next = options.after + 1;
  }

  async next(): Promise<ReadFrames> {
    if (this.#isShort) return { frames: [], state: await this.#afterShortRead() };
    const end = this.#record.manifest?.frames ?? Number.POSITIVE_INFINITY;
    if (this.#next >= end) return { frames: [], state: 'end' };
    const count = Math.min(this.#together, end - this.#next);
    const { _id, generation } = this.#record;
    const frames = await this.#ask(() => this.#deps.frames.get(_id, generation, this.#next, count));
    this.#next += frames.length;
    this.#isShort = frames.length < count;
    this.#shortReads = this.#isShort ? this.#shortReads + 1 : 0;
    const largest = frames.reduce((most, { data }) => Math.max(most, data.length), 1);
    this.#together = this.#isShort ? 1 : nextTogether(this.#together, largest);
    return { frames, state: 'more' };
  }

  async wait(): Promise<void> {
    await this.#deps.clock.pause(ASK_MILLISECONDS, this.#options.signal);
  }

  async close(): Promise<void> {}

  async #afterShortRead(): Promise<ReadFrames['state']> {
    this.#isShort = false;
    const before = this.#record;
    const isChecked = !this.#options.follow || before.manifest || this.#shortReads % SHORT_READS_PER_CHECK === 1;
    if (!isChecked) return 'wait';
    const { _id, generation } = before;
    this.#record = present(_id, await this.#ask(() => this.#deps.records.get(_id)), generation);
    if (before.manifest) throw new TopicDamaged(_id, this.#next - 1);
    return this.#record.manifest ? 'more' : 'wait';
  }

  #ask<T>(attempt: () => Promise<T>): Promise<T> {
    return asking(this.#deps.clock, this.#options, attempt);
  }
}

/** A follower waits out a change of the primary. */
export const asking = <T>(
  clock: Clock,
  { follow, signal }: Pick<ReadOptions<unknown>, 'follow' | 'signal'>,
  attempt: () => Promise<T>,
): Promise<T> => (follow ? patiently(clock, attempt, signal) : attempt());

/** Rejects with `TopicMissing` if the record is gone or of another generation. */
export const present = <Found extends TopicRecord>(topic: string, record: Found | null, generation = record?.generation): Found => {
  if (!record || record.state === 'deleting' || record.generation !== generation) throw new TopicMissing(topic);
  return record;
};

/** Twice as many, within a limit of bytes. */
const nextTogether = (together: number, largest: number): number =>
  Math.max(1, Math.min(together * 2, MOST_TOGETHER, Math.floor(TOGETHER_BYTES / largest)));
