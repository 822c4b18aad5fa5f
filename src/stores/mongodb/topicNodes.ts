import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { every } from '../../supervision/every.ts';
import { Silences } from '../silences.ts';
import type { Mongo } from './connection.ts';
import { reach } from './failures.ts';

interface NodeRecord {
  readonly _id: string;
  /** Increases while the node lives. */
  readonly beats: number;
}

const BEAT_MILLISECONDS = 10_000;
/** A node without a beat for this long is dead. Time in which this process could not beat or look does not count. */
const GONE_MILLISECONDS = 30_000;
/** A node that has been dead for this long is forgotten. */
const FORGOTTEN_MILLISECONDS = 600_000;
/** Longest counted gap between two looks: in a longer one the store or this process was paused. */
const LONGEST_GAP_MILLISECONDS = 1.5 * BEAT_MILLISECONDS;

/**
 * Which nodes with topics are alive. Each node increments its own record and watches the others' with its own monotonic clock, so clocks are never
 * compared. A node without a record is dead: it has closed, or has been forgotten.
 */
export class TopicNodes {
  /** Id of this node. */
  readonly id = randomUUID();
  readonly #records: Collection<NodeRecord>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  readonly #silences = new Silences(LONGEST_GAP_MILLISECONDS);
  #beating: Promise<void> = Promise.resolve();

  constructor({ database }: Mongo, clock: Clock, logger: Logger) {
    this.#records = database.collection('nodes');
    this.#clock = clock;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    await this.#beat();
    const onFailure = (error: unknown) => this.#logger.debug({ err: error }, 'heartbeat to MongoDB failed; retrying');
    const { signal } = this.#closing;
    this.#beating = every(() => this.#round(), { clock: this.#clock, milliseconds: BEAT_MILLISECONDS, signal, onFailure });
  }

  /** Looks at all nodes now. */
  async gone(): Promise<(node: string) => boolean> {
    const silent = await this.#round();
    return (node) => node !== this.id && (silent.get(node) ?? GONE_MILLISECONDS) >= GONE_MILLISECONDS;
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

  /** Beats, then looks: if the store refuses this beat, it may have refused those of others too. Resolves with how long each has been silent. */
  async #round(): Promise<ReadonlyMap<string, number>> {
    try {
      await this.#beat();
      return await this.#look();
    } catch (error) {
      this.#silences.clear();
      throw error;
    }
  }

  /** Judges by the time of the request: later time does not count, since this process may have been paused. */
  async #look(): Promise<ReadonlyMap<string, number>> {
    const asked = this.#clock.monotonic();
    const records = await reach(this.#records.find().toArray());
    const answered = this.#clock.monotonic();
    const silent = new Map<string, number>();
    for (const { _id, beats } of records) silent.set(_id, this.#silences.look(_id, beats, { asked, answered }));
    for (const [_id, milliseconds] of silent) {
      if (_id === this.id || milliseconds < FORGOTTEN_MILLISECONDS) continue;
      await reach(this.#records.deleteOne({ _id }));
      this.#silences.forget(_id);
    }
    return silent;
  }
}
