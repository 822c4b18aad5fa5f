import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { every } from '../../supervision/every.ts';
import type { Documents } from '../documents.ts';

export interface LiveReadersDeps {
  readonly documents: Documents;
  readonly clock: Clock;
}

const COLLECTION = 'liveReaders';
export const HEARTBEAT_MILLISECONDS = 5_000;
/** A node without a heartbeat for this long counts as gone. */
export const SILENT_MILLISECONDS = 15_000;
const PAGE = 500;

/** Declares the collection. */
export const openLiveReaders = async (deps: LiveReadersDeps): Promise<LiveReaders> => {
  await deps.documents.ensureCollection({ name: COLLECTION, indexes: [['streamId']] });
  return new LiveReaders(deps);
};

export interface LastRead {
  readonly reading: boolean;
  /** When the stream was last known to be read, milliseconds since the epoch. */
  readonly seen: number;
}

interface Attendance {
  readers: number;
  /** The writes of this stream's document, in order. */
  written: Promise<unknown>;
}

/**
 * Which streams are being read while they run: live reads enter here, and retention asks from any node. Every node keeps one document for each
 * stream that its callers read, and renews it while they stay. All methods may reject with `StoreUnavailable`.
 */
export class LiveReaders {
  readonly #documents: Documents;
  readonly #clock: Clock;
  /** Unique to this process, so that each document has one writer. */
  readonly #node = randomUUID();
  readonly #attended = new Map<string, Attendance>();
  /** Ends the heartbeat; `null` while there is none. */
  #beating: AbortController | null = null;

  constructor({ documents, clock }: LiveReadersDeps) {
    this.#documents = documents;
    this.#clock = clock;
  }

  /** Resolves when every node can see the reader, with a function to call when it has left, which never rejects. */
  async enter(streamId: string): Promise<() => Promise<void>> {
    const attendance = this.#attended.get(streamId) ?? { readers: 0, written: Promise.resolve() };
    this.#attended.set(streamId, attendance);
    attendance.readers += 1;
    let gone = false;
    const leave = async (): Promise<void> => {
      if (gone) return;
      gone = true;
      attendance.readers -= 1;
      if (attendance.readers > 0) return;
      // If this write fails, the missing heartbeat tells the other nodes.
      await this.#write(streamId, attendance).catch(() => undefined);
      if (attendance.readers === 0 && this.#attended.get(streamId) === attendance) this.#attended.delete(streamId);
      if (this.#attended.size === 0) this.#beating?.abort();
    };
    try {
      await (attendance.readers === 1 ? this.#write(streamId, attendance) : attendance.written);
    } catch (error) {
      await leave();
      throw error;
    }
    if (!this.#beating) void this.#beat();
    return leave;
  }

  /** Readers that entered on this node and have not left. */
  count(): number {
    return [...this.#attended.values()].reduce((sum, { readers }) => sum + readers, 0);
  }

  /** The last read of each stream that was ever read, by stream id. */
  async lastReads(streamIds: readonly string[]): Promise<ReadonlyMap<string, LastRead>> {
    if (streamIds.length === 0) return new Map();
    const found = await this.#documents.find(COLLECTION, { where: { streamId: streamIds }, limit: streamIds.length * PAGE });
    const silent = this.#clock.now() - SILENT_MILLISECONDS;
    const reads = new Map<string, LastRead>();
    for (const { body } of found) {
      const streamId = String(body.streamId);
      const [before, seen] = [reads.get(streamId), Number(body.seen)];
      const reading = body.reading === true && seen > silent;
      reads.set(streamId, { reading: reading || before?.reading === true, seen: Math.max(seen, before?.seen ?? seen) });
    }
    return reads;
  }

  /** Call it when a stream's data are gone. */
  async forget(streamId: string): Promise<void> {
    const found = await this.#documents.find(COLLECTION, { where: { streamId }, limit: PAGE });
    await Promise.all(found.map(({ id }) => this.#documents.remove(COLLECTION, id)));
  }

  /** Writes the state as of its turn. */
  #write(streamId: string, attendance: Attendance): Promise<unknown> {
    const write = async (): Promise<void> => {
      const id = `${streamId}/${this.#node}`;
      const body = { streamId, seen: this.#clock.now(), reading: attendance.readers > 0 };
      if (!(await this.#documents.replace(COLLECTION, id, body))) await this.#documents.create(COLLECTION, id, body);
    };
    attendance.written = attendance.written.then(write, write);
    return attendance.written;
  }

  /** Continues while there are readers. */
  async #beat(): Promise<void> {
    const beating = new AbortController();
    this.#beating = beating;
    const beat = async (): Promise<void> => {
      const attended = [...this.#attended].filter(([, { readers }]) => readers > 0);
      await Promise.all(attended.map(([streamId, attendance]) => this.#write(streamId, attendance).catch(() => undefined)));
    };
    await every(beat, { clock: this.#clock, milliseconds: HEARTBEAT_MILLISECONDS, signal: beating.signal });
    this.#beating = null;
    // A reader may have entered while this was being written.
    if (this.#attended.size > 0) void this.#beat();
  }
}
