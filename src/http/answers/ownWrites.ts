import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { Waiting } from './consistency.ts';

export interface OwnWritesDeps {
  readonly readModels: Waiting;
  readonly clock: Clock;
  /** Reads the log's head. Needed where other nodes acknowledge commands too. */
  readonly head?: (() => Promise<Position | null>) | undefined;
  /** The log of a node that works alone. */
  readonly lone?: LoneLog | undefined;
}

export interface LoneLog {
  /** The head when the node started. An earlier process may have acknowledged everything up to it, to any user. */
  readonly begunAt: Position | null;
  readonly head: () => Promise<Position | null>;
}

const REMEMBERED_USERS = 10_000;
/** A read waits this long for the look at the head and for the read models together. */
const WAIT_MILLISECONDS = 2_000;

/**
 * Read your own writes: commands are answered when they are durable, and later reads wait for the read models instead. On a lone node a read waits for
 * the last position that was acknowledged to its user (an administrator's or auditor's read: to anybody). Where there are other nodes it waits for the
 * log's head.
 */
export class OwnWrites {
  readonly #deps: OwnWritesDeps;
  readonly #ofUser: LRUCache<string, Position>;
  /** At least the position of every user who is not in memory. */
  #ofOthers: Position | null;
  #ofAnybody: Position | null;
  #looking: Promise<unknown> | null = null;
  #nextLook: Promise<Position | null> | null = null;

  constructor(deps: OwnWritesDeps) {
    this.#deps = deps;
    this.#ofOthers = this.#ofAnybody = deps.lone?.begunAt ?? null;
    this.#ofUser = new LRUCache({
      max: REMEMBERED_USERS,
      dispose: (position, _user, reason) => {
        if (reason === 'evict') this.#ofOthers = later(this.#ofOthers, position);
      },
    });
  }

  /** Remembers an accepted change whose answer has no position: on a lone node it lies at or before the log's head. Never rejects. */
  async acknowledgedWithoutPosition(caller: Caller): Promise<void> {
    const head = await this.#deps.lone?.head().catch(() => null);
    if (head) this.acknowledged(caller, head);
  }

  acknowledged({ subject }: Caller, position: Position): void {
    const last = later(this.#ofUser.peek(subject) ?? null, position);
    this.#ofUser.set(subject, last);
    this.#ofAnybody = later(this.#ofAnybody, position);
  }

  /** Waits for the read models. Answers the position that they did not reach in time, else `null`. Never rejects. */
  async missing(caller: Caller, projections: readonly string[]): Promise<Position | null> {
    const { readModels, clock } = this.#deps;
    const deadline = clock.monotonic() + WAIT_MILLISECONDS;
    const position = await this.#wanted(caller);
    if (position === null) return null;
    const reached = await readModels.waitFor(projections, position, deadline - clock.monotonic()).catch(() => false);
    return reached ? null : position;
  }

  async #wanted(caller: Caller): Promise<Position | null> {
    const own = hasRole(caller, 'admin', 'auditor') ? this.#ofAnybody : (this.#ofUser.get(caller.subject) ?? this.#ofOthers);
    if (!this.#deps.head) return own;
    const head = await this.#headInTime(this.#deps.head);
    return head === null || own === null ? (head ?? own) : later(own, head);
  }

  /** `null` when the log does not answer: reads go on without it. */
  async #headInTime(head: () => Promise<Position | null>): Promise<Position | null> {
    const over = new AbortController();
    const late = this.#deps.clock.pause(WAIT_MILLISECONDS, over.signal).then(() => null);
    try {
      return await Promise.race([this.#look(head), late]);
    } catch {
      return null;
    } finally {
      over.abort(LOOKED);
    }
  }

  /** One look serves everyone who asked before it began: a look that is under way may be older than what was just acknowledged elsewhere. */
  #look(head: () => Promise<Position | null>): Promise<Position | null> {
    this.#nextLook ??= (this.#looking ?? Promise.resolve()).then(() => {
      this.#nextLook = null;
      const look = head();
      this.#looking = look.then(ignore, ignore);
      return look;
    });
    return this.#nextLook;
  }
}

const ignore = (): void => {};

// Made once: an abort without a reason creates an exception with its stack each time.
const LOOKED = new Error('the head of the log has been read');

/** Positions sort as text. */
const later = (one: Position | null, other: Position): Position => (one !== null && one > other ? one : other);
