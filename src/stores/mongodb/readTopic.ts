import type { Clock } from '../../clock.ts';
import type { ReadFrames, ReadOptions, TopicReader } from '../topics/topicStorage.ts';
import { type FrameRoom, TopicDamaged, TopicMissing } from '../topics.ts';
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
/** Room for frames of unknown size: next to nothing, because thousands of followers may poll the ends of their topics. */
const POLL_BYTES = 1;
/** Room that a reading never waits for. */
const SMALL_BYTES = 16_384;
/** Approximate bytes that one reader keeps in memory. */
const TOGETHER_BYTES = 2 * 1_048_576;

/**
 * Reads the frames of a topic from any node: their ids are known, so the next ones are requested, several at once while there are many. At the end
 * of an open topic a follower polls for the next id.
 */
export class TopicRecordReader implements TopicReader {
  readonly #deps: ReadDeps;
  readonly #options: Pick<ReadOptions<unknown>, 'follow' | 'signal' | 'room'>;
  #record: TopicRecord;
  #next: number;
  #together = 1;
  /** The expected size of the next frames; `null` if unknown. */
  #size: number | null;
  /** Reads in a row that found fewer frames than requested, the last one not yet answered with `wait`. */
  #shortReads = 0;
  #isShort = false;

  constructor(deps: ReadDeps, record: TopicRecord, options: Omit<ReadOptions<unknown>, 'opened'>) {
    this.#deps = deps;
    this.#record = record;
    this.#options = options;
    this.#next = options.after + 1;
    this.#size = meanSize(record);
  }

  async next(): Promise<ReadFrames> {
    if (this.#isShort) return { frames: [], state: await this.#afterShortRead() };
    const end = this.#record.manifest?.frames ?? Number.POSITIVE_INFINITY;
    if (this.#next >= end) return { frames: [], state: 'end' };
    const count = Math.min(this.#together, end - this.#next);
    const { frames, taken } = await this.#read(count);
    this.#next += frames.length;
    this.#isShort = frames.length < count;
    this.#shortReads = this.#isShort ? this.#shortReads + 1 : 0;
    const largest = frames.reduce((most, { data }) => Math.max(most, data.length), 1);
    this.#size = this.#isShort ? null : largest;
    this.#together = this.#isShort ? 1 : nextTogether(this.#together, largest);
    return { frames, state: 'more', ...(taken && { taken }) };
  }

  async #read(count: number): Promise<Pick<ReadFrames, 'frames' | 'taken'>> {
    let read = await this.#within(this.#size === null ? POLL_BYTES : this.#size * count, count);
    while (typeof read === 'number') read = await this.#within(read, count);
    return read;
  }

  /** The next frames, in `bytes` of room. If they are larger and there is no room for them now, drops them and returns their size. */
  async #within(bytes: number, count: number): Promise<Pick<ReadFrames, 'frames' | 'taken'> | number> {
    const { room, signal } = this.#options;
    const { _id, generation } = this.#record;
    const taken = await room?.take(bytes, signal);
    const frames = await this.#ask(() => this.#deps.frames.get(_id, generation, this.#next, count)).catch((error: unknown) => {
      taken?.();
      throw error;
    });
    if (!room || !taken) return { frames };
    const found = frames.reduce((sum, { data }) => sum + data.length, 0);
    if (frames.length === 0 || (found <= bytes && found > SMALL_BYTES)) return { frames, taken };
    // Freed first: readings that hold room while they wait for more could wait for each other.
    taken();
    const fitting = await takenNow(room, found);
    return fitting ? { frames, taken: fitting } : found;
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

/** `null` if the room is not there by the next turn of the event loop. */
const takenNow = (room: FrameRoom, bytes: number): Promise<(() => void) | null> => {
  const over = new AbortController();
  setImmediate(() => over.abort(NO_ROOM));
  return room.take(bytes, over.signal).catch(() => null);
};

// Made once: an abort without a reason creates an exception with its stack each time.
const NO_ROOM = new Error('no room now');

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

/** Mean size of the frames of a sealed topic, in bytes; `null` for an open topic. */
const meanSize = ({ manifest }: TopicRecord): number | null => (manifest ? Math.ceil(manifest.bytes / Math.max(1, manifest.frames)) : null);

/** Twice as many, within a limit of bytes. */
const nextTogether = (together: number, largest: number): number =>
  Math.max(1, Math.min(together * 2, MOST_TOGETHER, Math.floor(TOGETHER_BYTES / largest)));
