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
  readonly id = randomUUID();
  readonly #records: Collection<NodeRecord>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  readonly #silences: Silences;
  #beating: Promise<void> = Promise.resolve();

  constructor({ database }: Mongo, clock: Clock, logger: Logger) {
    this.#records = database.collection('nodes');
    this.#clock = clock;
    this.#logger = logger;
    this.#silences = new Silences(clock, LONGEST_GAP_MILLISECONDS);
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
    const silent = await this.#silences.look(async () => {
      await this.#beat();
      return (await reach(this.#records.find().toArray())).map(({ _id, beats }) => [_id, beats]);
    });
    for (const [_id, milliseconds] of silent) {
      if (_id === this.id || milliseconds < FORGOTTEN_MILLISECONDS) continue;
      await reach(this.#records.deleteOne({ _id }));
      this.#silences.forget(_id);
    }
    return silent;
  }
}
