import { IMPORTS, isImportsEvent } from '../../domain/audit/imports.ts';
import { DELIVERY_EVENT_TYPES } from '../../domain/delivery/events.ts';
import type { DeliveryCheckpoint } from '../../domain/delivery/state.ts';
import type { Documents, DocumentWrite } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { documentPages } from '../../stores/pages.ts';
import { type HeldPartition, partitionLease } from '../partition.ts';

const COLLECTION = 'deliveryUsers';
const PAGE = 500;

/** Checkpoint of a user outside the log: state to start the fold of the user's facts from. Derived: without it all facts are read. */
export interface UserCheckpoint {
  readonly subject: string;
  readonly partition: number;
  /** Whether deliveries are pending. */
  readonly open: boolean;
  /** See `PendingDeliveries`. ISO 8601. */
  readonly carriedAt: string;
  /** Of the last fact. */
  readonly position: Position;
  readonly state: DeliveryCheckpoint;
}

/** Most endpoints of a checkpoint: MongoDB takes 16 MiB. A user with more has no state in it: then all facts are read. */
const MOST_ENDPOINTS = 50_000;

const endpointsIn = ({ sequences, failing }: DeliveryCheckpoint): number => Object.keys(sequences).length + Object.keys(failing).length;

/** Progress of the deliverer, in documents. */
export class UserCheckpoints {
  readonly #documents: Documents;
  readonly #log: EventLog;

  constructor(documents: Documents, log: EventLog) {
    this.#documents = documents;
    this.#log = log;
  }

  async ensure(): Promise<void> {
    // Of earlier versions.
    await this.#documents.dropCollection('deliveryEndpoints');
    await this.#documents.ensureCollection({
      name: COLLECTION,
      indexes: [
        ['partition', 'open'],
        ['partition', 'carriedAt'],
      ],
    });
  }

  async of(subject: string): Promise<DeliveryCheckpoint | null> {
    const stored = await this.#documents.get(COLLECTION, subject);
    if (!stored) return null;
    // Only `save` writes it.
    return stored.body.state as unknown as DeliveryCheckpoint | null;
  }

  /** Where the reading of the log starts; `null` for its beginning. Rejects with `StoreUnavailable`. */
  async position(partition: number): Promise<Position | null> {
    return (await this.#documents.readCheckpoint(partitionLease(partition)))?.position ?? (await this.#positionAfterMove());
  }

  /** Rejects with `StaleEpoch` if another node now holds the partition. */
  async save({ number, lease }: HeldPartition, position: Position | null, users: readonly UserCheckpoint[]): Promise<void> {
    const writes = users.map(
      ({ subject, position: last, state, ...about }): DocumentWrite => ({
        id: subject,
        position: last,
        body: { ...about, state: endpointsIn(state) <= MOST_ENDPOINTS ? { ...state } : null },
      }),
    );
    await this.#documents.writeBatch(COLLECTION, writes, { name: partitionLease(number), position, epoch: lease.epoch });
  }

  /** Users of the partitions that may have pending deliveries: those with some at the checkpoint, and those with later facts. */
  async open(partitions: readonly HeldPartition[], after: Position | null, isTheirs: (subject: string) => boolean): Promise<Set<string>> {
    const found = new Set<string>();
    for (const { number: partition } of partitions) {
      for await (const subject of this.#pages({ partition, open: true })) found.add(subject);
    }
    const reading = new AbortController();
    for await (const item of this.#log.subscribe({ after, filter: { types: DELIVERY_EVENT_TYPES }, signal: reading.signal })) {
      if (item.kind === 'caughtUp') break;
      if (isTheirs(item.event.metadata.subject)) found.add(item.event.metadata.subject);
    }
    reading.abort();
    return found;
  }

  /** Users whose facts were last carried, or began, before a time (ISO 8601), at most 500 at once. */
  async carriedBefore(partition: number, time: string): Promise<string[]> {
    const page = await this.#documents.find(COLLECTION, {
      where: { partition },
      orderBy: [{ member: 'carriedAt', direction: 'asc' }],
      limit: PAGE,
    });
    // Older checkpoints have no such time.
    return page.filter(({ body }) => String(body.carriedAt ?? '') < time).map(({ id }) => id);
  }

  /** The former store of a moved log has sent all earlier webhooks. `null` for a log that was never moved. */
  async #positionAfterMove(): Promise<Position | null> {
    const [last] = await this.#log.readStream(IMPORTS, { direction: 'backwards', limit: 1 });
    if (!last || !isImportsEvent(last)) return null;
    // A position of this store, looked up by the import.
    return (last.data.deliveredThrough as Position | null) ?? last.position;
  }

  async *#pages(where: { partition: number; open: boolean }): AsyncGenerator<string> {
    for await (const page of documentPages(this.#documents, COLLECTION, { where }, PAGE)) for (const { id } of page) yield id;
  }
}
