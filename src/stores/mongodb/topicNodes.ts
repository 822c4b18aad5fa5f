import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { every } from '../../supervision/every.ts';
import type { Mongo } from './connection.ts';
import { reach } from './failures.ts';

interface NodeRecord {
  readonly _id: string;
  /** Grows while the node lives. */
  readonly beats: number;
}

const BEAT_MILLISECONDS = 3_000;
/** A node that has not been seen to beat for so long is gone. */
const GONE_MILLISECONDS = 30_000;
/** One that has been gone for so long is forgotten. */
const FORGOTTEN_MILLISECONDS = 600_000;

/**
 * Which nodes with topics live. Each counts up its own record; each watches the others' by its own monotonic clock, so that no clocks are
 * compared. A node without a record is gone: it has closed, or has been forgotten.
 */
export class TopicNodes {
  /** This one's. */
  readonly id = randomUUID();
  readonly #records: Collection<NodeRecord>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  #seen = new Map<string, { readonly beats: number; readonly since: number }>();
  #beating: Promise<void> = Promise.resolve();

  constructor({ database }: Mongo, clock: Clock, logger: Logger) {
    this.#records = database.collection('nodes');
    this.#clock = clock;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    await this.#beat();
    const onFailure = (error: unknown) => this.#logger.debug({ err: error }, 'heartbeat to MongoDB failed; retrying');
    const beat = async (): Promise<void> => {
      await this.#beat();
      await this.#watch();
    };
    const { signal } = this.#closing;
    this.#beating = every(beat, { clock: this.#clock, milliseconds: BEAT_MILLISECONDS, signal, onFailure });
  }

  /** Looks at all of them now. */
  async gone(): Promise<(node: string) => boolean> {
    const asked = await this.#watch();
    return (node) => {
      const seen = this.#seen.get(node);
      return !seen || (node !== this.id && asked - seen.since >= GONE_MILLISECONDS);
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#beating;
    await reach(this.#records.deleteOne({ _id: this.id })).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'announcing the end of this node failed; the other nodes will notice');
    });
  }

  async #beat(): Promise<void> {
    await reach(this.#records.updateOne({ _id: this.id }, { $inc: { beats: 1 } }, { upsert: true }));
  }

  /** Answers when it asked: the beats tell nothing of the time after, in which this process may have been paused. */
  async #watch(): Promise<number> {
    const asked = this.#clock.monotonic();
    const records = await reach(this.#records.find().toArray());
    const now = this.#clock.monotonic();
    const seen = new Map<string, { beats: number; since: number }>();
    for (const { _id, beats } of records) {
      const before = this.#seen.get(_id);
      seen.set(_id, { beats, since: before?.beats === beats ? before.since : now });
    }
    this.#seen = seen;
    for (const [_id, { since }] of seen) {
      if (_id !== this.id && asked - since >= FORGOTTEN_MILLISECONDS) await reach(this.#records.deleteOne({ _id }));
    }
    return asked;
  }
}
