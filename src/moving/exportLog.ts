import { randomUUID } from 'node:crypto';
import { type Clock, isoTime } from '../clock.ts';
import { PARTITIONS, partitionLease } from '../delivery/partition.ts';
import { isDeliveryEvent, subjectOfFacts } from '../domain/delivery/events.ts';
import { PendingDeliveries, type PendingDelivery } from '../domain/delivery/state.ts';
import type { Documents } from '../stores/documents.ts';
import type { EventStore, Position, StoredEvent } from '../stores/eventStore.ts';
import { mayExpire, NEWEST_SEAL } from '../stores/integrity/seals.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import { vaultEntries } from '../stores/keys/vault.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { findBackwards, logPages, upTo } from '../stores/pages.ts';
import { TopicDamaged, TopicMissing, type Topics } from '../stores/topics.ts';
import { type Counts, type EventPlace, type ExportedDeliveries, type ExportedPending, ExportWriter, FORMAT } from './exportFile.ts';
import { liveTopics } from './liveTopics.ts';

export interface ExportDeps {
  readonly store: EventStore;
  readonly log: EventLog;
  readonly vault: Documents;
  readonly documents: Documents;
  readonly topics: Topics;
  readonly keys: Pick<Keys, 'note'>;
  readonly clock: Clock;
}

export interface ExportReport extends Counts {
  readonly file: string;
  /** Topics that are not in the export, because their bytes are damaged. */
  readonly damagedTopics: number;
}

const PAGE = 500;

/**
 * Writes the whole platform as of now to one file; later changes are not included. The file appears only when complete. Rejects if a store is
 * away or the file cannot be written.
 */
export const exportLog = async (deps: ExportDeps, file: string, onProgress: (line: string) => void): Promise<ExportReport> => {
  const writer = await ExportWriter.open(file);
  try {
    const exporting = new Exporting(deps, writer, onProgress);
    const counts = await exporting.run();
    return { file, ...counts, damagedTopics: exporting.damagedTopics };
  } catch (error) {
    await writer.giveUp();
    throw error;
  }
};

class Exporting {
  readonly #deps: ExportDeps;
  readonly #writer: ExportWriter;
  readonly #onProgress: (line: string) => void;
  damagedTopics = 0;
  /** By subject. */
  readonly #facts = new Map<string, PendingDeliveries>();

  constructor(deps: ExportDeps, writer: ExportWriter, onProgress: (line: string) => void) {
    this.#deps = deps;
    this.#writer = writer;
    this.#onProgress = onProgress;
  }

  async run(): Promise<Counts> {
    const { store, log, keys, clock } = this.#deps;
    // In this order: nothing outside the log may be newer than the exported events. Keys come last, so they are never older than the events.
    const newestSeal = await keys.note(NEWEST_SEAL);
    const delivered = await this.#deliveredThrough();
    const head = await store.head();
    await this.#writer.write({ header: { tributary: 'export', format: FORMAT, id: randomUUID(), made: isoTime(clock.now()), newestSeal } });
    const vault = await this.#vault();
    const events = await this.#events(head);
    const deliveries = await this.#deliveries();
    const topics = await this.#topics(await liveTopics(log, head));
    const counts = { vault, events, deliveries, topics };
    // Without a checkpoint, the facts show how far the deliverer had come.
    const latest = [...this.#facts.values()].map(({ lastSourcePosition }) => lastSourcePosition).reduce((a, b) => (a > b ? a : b), '');
    const deliveredThrough = await this.#place(delivered ?? (latest as Position));
    await this.#writer.end({ ...counts, deliveredThrough });
    return counts;
  }

  /** Checkpoint of the partition that is furthest behind; `null` if one has no checkpoint. */
  async #deliveredThrough(): Promise<Position | null> {
    const names = Array.from({ length: PARTITIONS }, (_, partition) => partitionLease(partition));
    const positions = await Promise.all(names.map(async (name) => (await this.#deps.documents.readCheckpoint(name))?.position ?? null));
    return positions.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b));
  }

  async #vault(): Promise<number> {
    let count = 0;
    for await (const entry of vaultEntries(this.#deps.vault)) {
      await this.#writer.write({ vault: entry });
      count += 1;
    }
    return count;
  }

  async #events(head: Position | null): Promise<number> {
    let count = 0;
    for await (const { eventStream, revision, id, type, data, metadata, position } of eventsThrough(this.#deps.store, head)) {
      if (mayExpire(eventStream)) {
        this.#take({ eventStream, revision, id, type, data, metadata, position });
        continue;
      }
      await this.#writer.write({ event: { eventStream, revision: String(revision), id, type, data, metadata } });
      count += 1;
      if (count % PAGE === 0) this.#onProgress(`${count.toLocaleString('en')} events`);
    }
    return count;
  }

  /**
   * Exports the state that the facts fold to, not the facts. No personal member is needed, so they are folded as stored, without upcasting: a changed
   * fact must stay readable by the fold itself, so it gets optional members instead of a new version.
   */
  #take(event: StoredEvent): void {
    if (!isDeliveryEvent(event)) return;
    const subject = subjectOfFacts(event.eventStream);
    const state = this.#facts.get(subject) ?? new PendingDeliveries(null);
    this.#facts.set(subject, state);
    state.evolve(event, event.revision, String(event.metadata.time));
  }

  async #deliveries(): Promise<number> {
    for (const [subject, state] of this.#facts) {
      const deliveries: ExportedDeliveries = {
        subject,
        last: await this.#place(state.lastSourcePosition as Position),
        sequences: Object.fromEntries(state.sequences),
        failing: Object.fromEntries(state.failing),
        pending: [...state.pending.values()].map(exportedPending),
      };
      await this.#writer.write({ deliveries });
    }
    return this.#facts.size;
  }

  async #topics(topics: ReadonlySet<string>): Promise<number> {
    let count = 0;
    for (const topic of topics) {
      if (await this.#topic(topic)) count += 1;
      this.#onProgress(`${count.toLocaleString('en')} of ${topics.size.toLocaleString('en')} topics`);
    }
    return count;
  }

  /** Only sealed topics: open ones belong to uploads and runs that are not acknowledged. */
  async #topic(topic: string): Promise<boolean> {
    let isWritten = false;
    try {
      const manifest = await this.#deps.topics.manifest(topic);
      if (!manifest) return false;
      await this.#writer.write({ topic: { topic, manifest } });
      isWritten = true;
      for await (const { at, data } of this.#deps.topics.read(topic))
        await this.#writer.write({ frame: { at, data: Buffer.from(data).toString('base64') } });
    } catch (error) {
      // It has expired since, or is damaged. The import finds fewer frames than its manifest says and skips it.
      if (error instanceof TopicDamaged) this.damagedTopics += 1;
      else if (!(error instanceof TopicMissing)) throw error;
    }
    return isWritten;
  }

  /** The export ends with the last event at or before a position. */
  async #place(position: Position | ''): Promise<EventPlace | null> {
    if (position === '') return null;
    const { store } = this.#deps;
    const [next] = await store.readAll({ after: position, limit: 1 });
    const found = await findBackwards(store, next?.position ?? null, ({ eventStream }) => !mayExpire(eventStream));
    return found && { eventStream: found.eventStream, revision: String(found.revision) };
  }
}

async function* eventsThrough(store: EventStore, head: Position | null): AsyncGenerator<StoredEvent, void, undefined> {
  for await (const page of upTo(head, logPages(store, { after: null, limit: PAGE }))) yield* page;
}

const exportedPending = ({ delivery, source, scheduling, attempts }: PendingDelivery): ExportedPending => {
  const { deliveryId, endpointId, eventId, type, sequence, dynamicStreamId } = delivery;
  return {
    deliveryId,
    endpointId,
    eventId,
    type,
    sequence,
    dynamicStreamId,
    attempts,
    renderer: scheduling.renderer,
    once: scheduling.once,
    sourceEventId: source.sourceEventId,
    source: { eventStream: source.sourceEventStream, revision: source.sourceRevision },
  };
};
