import { DELIVERY_EVENT_TYPES } from '../../domain/delivery/events.ts';
import type { DeliveryCheckpoint } from '../../domain/delivery/state.ts';
import type { Documents, DocumentWrite } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { documentPages } from '../../stores/pages.ts';
import { type HeldPartition, partitionLease } from '../partition.ts';
import { EndpointPieces } from './endpointPieces.ts';

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

/** Instead of the state, if that has many endpoints: an older version of this program finds no state, and reads all facts. */
interface Divided {
  readonly state: DeliveryCheckpoint;
  /** Count of the pieces with its endpoints (`endpointPieces.ts`). */
  readonly pieces: number;
}

/** Progress of the deliverer, in documents. */
export class UserCheckpoints {
  readonly #documents: Documents;
  readonly #log: EventLog;
  readonly #pieces: EndpointPieces;
  /** By user, as far as this process knows: the count of pieces that the stored checkpoint names. */
  readonly #stored = new Map<string, number>();

  constructor(documents: Documents, log: EventLog) {
    this.#documents = documents;
    this.#log = log;
    this.#pieces = new EndpointPieces(documents);
  }

  async ensure(): Promise<void> {
    await this.#pieces.ensure();
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
    const { state, divided } = stored.body as unknown as { state: DeliveryCheckpoint | null; divided?: Divided };
    if (!divided) return state;
    this.#stored.set(subject, divided.pieces);
    const many = await this.#pieces.read(subject, divided.pieces);
    return many && { ...divided.state, many };
  }

  async position(partition: number): Promise<Position | null> {
    return (await this.#documents.readCheckpoint(partitionLease(partition)))?.position ?? null;
  }

  /** Rejects with `StaleEpoch` if another node now holds the partition. */
  async save({ number, lease, saved }: HeldPartition, position: Position | null, users: readonly UserCheckpoint[]): Promise<void> {
    const checkpointAt = (at: Position | null) => ({ name: partitionLease(number), position: at, epoch: lease.epoch });
    const writes: DocumentWrite[] = [];
    const counts: { readonly subject: string; readonly last: Position; readonly pieces: number }[] = [];
    for (const { subject, position: last, state, ...about } of users) {
      const { many, ...head } = state;
      // Until the checkpoint names these pieces, the partition is where it was.
      const pieces = many ? await this.#pieces.save(subject, state, last, checkpointAt(saved)) : 0;
      const body = pieces > 0 ? { state: null, divided: { state: head, pieces } } : { state: head };
      writes.push({ id: subject, position: last, body: { ...about, ...body } });
      counts.push({ subject, last, pieces });
    }
    await this.#documents.writeBatch(COLLECTION, writes, checkpointAt(position));
    for (const { subject, last, pieces } of counts) {
      const before = this.#stored.get(subject) ?? 0;
      // First: if it fails, the next save removes them.
      if (before > 0 && before !== pieces) await this.#pieces.remove(subject, before, last, checkpointAt(position));
      if (pieces > 0) this.#stored.set(subject, pieces);
      else this.#stored.delete(subject);
    }
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

  async *#pages(where: { partition: number; open: boolean }): AsyncGenerator<string> {
    for await (const page of documentPages(this.#documents, COLLECTION, { where }, PAGE)) for (const { id } of page) yield id;
  }
}
