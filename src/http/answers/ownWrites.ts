import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { type Caller, hasRole } from '../../domain/credentials/caller.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { AppendListener } from '../../stores/log/announcedLog.ts';
import { within } from '../../supervision/within.ts';
import type { Waiting } from './consistency.ts';

export interface OwnWritesDeps {
  readonly readModels: Waiting;
  readonly clock: Clock;
  /** Reads the log's head. Needed if other nodes acknowledge commands too. */
  readonly head?: (() => Promise<Position | null>) | undefined;
  /** The log of a single node. */
  readonly lone?: LoneLog | undefined;
}

export interface LoneLog {
  /** The head at the start of the node. An earlier process may have acknowledged everything up to it, to any user. */
  readonly begunAt: Position | null;
  readonly head: () => Promise<Position | null>;
  /** Called for each append, by whatever part of the node. */
  readonly appendListeners?: Set<AppendListener>;
}

const REMEMBERED_USERS = 10_000;
/** The longest wait of a read for the log's head and the read models together. */
const WAIT_MILLISECONDS = 2_000;

/**
 * Read your own writes: commands are answered when they are durable, and later reads wait for the read models instead. On a single node a read
 * waits for the last event about its user and the last position acknowledged to its user (for an administrator or auditor: of anyone). Thus a list
 * shows what a webhook has said before. With other nodes it waits for the log's head.
 */
export class OwnWrites {
  readonly #deps: OwnWritesDeps;
  readonly #ofUser: LRUCache<string, Position>;
  /** At least the position of every user who is no longer in memory. */
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
    deps.lone?.appendListeners?.add((subject, position) => this.#note(subject, position));
  }

  /** Records an accepted change whose answer has no position: on a single node it is at or before the log's head. Never rejects. */
  async acknowledgedWithoutPosition(caller: Caller): Promise<void> {
    const head = await this.#deps.lone?.head().catch(() => null);
    if (head) this.acknowledged(caller, head);
  }

  acknowledged({ subject }: Caller, position: Position): void {
    this.#note(subject, position);
  }

  #note(subject: string, position: Position): void {
    const last = later(this.#ofUser.peek(subject) ?? null, position);
    this.#ofUser.set(subject, last);
    this.#ofAnybody = later(this.#ofAnybody, position);
  }

  /** Waits for the read models. Returns the position that they did not reach in time, otherwise `null`. Never rejects. */
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

  /** `null` if the log does not answer: reads continue without it. */
  async #headInTime(head: () => Promise<Position | null>): Promise<Position | null> {
    const found = await within(this.#deps.clock, WAIT_MILLISECONDS, this.#look(head)).catch(() => null);
    return found === 'late' ? null : found;
  }

  /** One read of the head serves everyone who asked before it began: an earlier one may be older than changes just acknowledged elsewhere. */
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

/** The later of two positions, which sort as text. */
export const later = (one: Position | null, other: Position): Position => (one !== null && one > other ? one : other);
