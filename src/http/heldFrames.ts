import { type Clock, systemClock } from '../clock.ts';
import type { Frame, FrameRoom, Topics } from '../stores/topics.ts';
import { END, Items } from '../supervision/items.ts';
import { MemoryLooks } from '../supervision/memoryLooks.ts';
import { limitBetween, type Memory, processMemory } from '../supervision/scarceMemory.ts';
import { BytesOfUsers } from './bytesOfUsers.ts';

const MEBIBYTE = 1_048_576;

interface HeldFramesLimits {
  readonly perUser: number;
  readonly inTotal: number;
}

/** An answer takes three times as much: the frames, their JSON, and its bytes. */
const DEFAULT_LIMITS: HeldFramesLimits = { perUser: 4 * MEBIBYTE, inTotal: 16 * MEBIBYTE };

/** The share of the limits that is left while memory is scarce. */
const SHARE_WHILE_SCARCE = 1 / 4;

/** Live messages are smaller as a rule: they never wait for other readings. Each followed sink counts for as much elsewhere. */
const SMALL_READING = 16_384;

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * Frames of topics that answers and sockets hold in memory until their clients take them. Readings without room wait, those of a user in order: unread
 * frames stay in their topics. A user who holds nothing does not wait for room.
 */
export class HeldFrames {
  readonly #limits: HeldFramesLimits;
  readonly #bytes: BytesOfUsers;
  readonly #memory: Memory;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #looks: MemoryLooks;

  constructor(
    limits: HeldFramesLimits = DEFAULT_LIMITS,
    bytes = new BytesOfUsers(),
    memory: Memory = processMemory,
    clock: Pick<Clock, 'pause'> = systemClock,
  ) {
    this.#looks = new MemoryLooks(clock, () => this.#begin());
    this.#limits = limits;
    this.#bytes = bytes;
    this.#memory = memory;
  }

  /** Bytes held by all users. */
  get total(): number {
    return this.#bytes.total;
  }

  roomOf(user: string): FrameRoom {
    return { take: (bytes, signal) => this.#take(user, bytes, signal) };
  }

  async #take(user: string, bytes: number, signal?: AbortSignal): Promise<() => void> {
    const mustWait = bytes > SMALL_READING && (this.#waiting.has(user) || !this.#fits(user, bytes));
    if (mustWait) await this.#turn(user, bytes, signal);
    else this.#bytes.add(user, bytes);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#bytes.add(user, -bytes);
      this.#begin();
    };
  }

  #fits(user: string, bytes: number): boolean {
    const own = this.#bytes.of(user);
    if (own === 0) return true;
    const share = limitBetween(1, SHARE_WHILE_SCARCE, this.#memory);
    return own + bytes <= share * this.#limits.perUser && this.#bytes.total + bytes <= share * this.#limits.inTotal;
  }

  #turn(user: string, bytes: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const ofUser = this.#waiting.get(user) ?? [];
      this.#waiting.set(user, ofUser);
      const leave = (): void => {
        ofUser.splice(ofUser.indexOf(waiting), 1);
        if (ofUser.length === 0) this.#waiting.delete(user);
        reject(signal?.reason);
        // A smaller one behind it may fit.
        this.#begin();
      };
      const waiting: Waiting = {
        bytes,
        begin: () => {
          signal?.removeEventListener('abort', leave);
          this.#bytes.add(user, bytes);
          resolve();
        },
      };
      ofUser.push(waiting);
      this.#looks.continueWhile(true);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #begin(): void {
    for (const [user, ofUser] of this.#waiting) {
      for (let next = ofUser[0]; next && this.#fits(user, next.bytes); next = ofUser[0]) {
        ofUser.shift();
        next.begin();
      }
      if (ofUser.length === 0) this.#waiting.delete(user);
    }
    this.#looks.continueWhile(this.#waiting.size > 0);
  }
}

/** Of all answers and sockets of this process. */
const heldFrames = new HeldFrames();

/** The topics for an answer to a user, who may read it slowly. */
export const readAtPaceOf = (user: string, topics: Pick<Topics, 'read'>): Pick<Topics, 'read'> => {
  const room = heldFrames.roomOf(user);
  return { read: (topic, options) => lent(topics.read(topic, { ...options, room })) };
};

const NOTHING = new Uint8Array();

/**
 * Frames that lose their data when the next one is asked for. Then their room is free, but functions on the way may still refer to a frame
 * (`supervision/items.ts` says why).
 */
const lent = (frames: AsyncIterable<Frame>): AsyncIterable<Frame> => {
  const reading = frames[Symbol.asyncIterator]();
  let last: { data: Uint8Array } | null = null;
  const next = async (): Promise<IteratorResult<Frame, undefined>> => {
    if (last) last.data = NOTHING;
    const { done, value } = await reading.next();
    if (done) return END;
    const frame = { ...value };
    last = frame;
    return { done: false, value: frame };
  };
  return new Items(next, () => reading.return?.());
};
