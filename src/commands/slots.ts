import { LRUCache } from 'lru-cache';
import { unavailable } from '../domain/problem.ts';
import type { Documents, FindOptions, StoredDocument } from '../stores/documents.ts';

/** A running stream's place among those that its user may run at once. */
export interface Slot {
  readonly subject: string;
  /** Which attempt of which stream (`slotHolder`). Stored as `streamId`. */
  readonly holder: string;
}

/**
 * How many streams a user runs at once. A slot is the document `<subject>/slot/<n>` of the collection `slots`; that it can be created only
 * once decides between nodes. All may reject with `StoreUnavailable`.
 */
export interface Slots {
  /** Of each user. */
  readonly limit: number;
  /** Of all users together, on a node that works alone; `null` where other nodes take slots too. */
  readonly total: { readonly held: number; readonly limit: number } | null;
  /** How many more the user may run, as far as this node knows; 0 at least. */
  remaining(subject: string): Promise<number>;
  /** Whether `take` would be refused now. Decides nothing: others may take or free one meanwhile. */
  isFull(subject: string): Promise<boolean>;
  /** `false` when the user holds as many as the limit allows. Rejects with 503 at the limit of `total`. Taking twice for a stream gives it two. */
  take(subject: string, holder: string): Promise<boolean>;
  /** Gives back one slot of the stream; nothing when it has none. */
  free(subject: string, holder: string): Promise<void>;
  /** For a user's streams as the log tells of them; looks at most once at what others did. */
  keep(subject: string, streams: KeptStreams): Promise<void>;
  list(): Promise<Slot[]>;
  /** The streams that a user has slots for, so many at most. */
  heldBy(subject: string, limit: number): Promise<string[]>;
  /** Nothing that is held now is lost by a restart when it resolves. The completion policy calls it before it saves its checkpoint. */
  store(): Promise<void>;
  /** Those that a node took: one of each upload that it had under way, and of each stream that came of one and still runs. */
  takenBy(node: string): Promise<Slot[]>;
}

/** 503: streams of all users wait for their processors. Their number bounds what waits in memory and on the disk. */
export const refuseAboveTotal = ({ total }: Pick<Slots, 'total'>): void => {
  if (total && total.held >= total.limit)
    throw unavailable('The server runs as many streams as it may (MAX_RUNNING_STREAMS). Try again when some have finished.');
};

export interface KeptStreams {
  /** Each gives a slot back. */
  readonly ended: readonly string[];
  /** Each has a slot: one that has lost its own gets another, also above the limit, if it is true that it runs still. */
  readonly running: readonly string[];
  stillRuns(holder: string): Promise<boolean>;
}

const COLLECTION = 'slots';
const REMEMBERED_SUBJECTS = 10_000;
const PAGE = 1_000;

/** The slots of a subject by number, as far as this node knows: others may have taken or freed some since. */
type Known = Map<number, string>;

/** By stream. The last one: of two nodes that took one for the same stream, each gives back its own, which says who has the upload. */
type Places = ReadonlyMap<string, number>;

const placesOf = (known: Known): Places => new Map([...known].map(([n, streamId]) => [streamId, n]));

/** Id of a slot's document. */
export const slotId = (subject: string, n: number): string => `${subject}/slot/${n}`;

/** The slot that a document says is held, and its number. */
export const storedSlot = ({ id, body }: Pick<StoredDocument, 'id' | 'body'>): Slot & { n: number } => {
  const subject = String(body.subject);
  return { subject, holder: String(body.streamId), n: Number(id.slice(slotId(subject, 0).length - 1)) };
};

/** What the slots need of the documents. */
export type SlotDocuments = Pick<Documents, 'ensureCollection' | 'create' | 'find' | 'count' | 'remove'>;

export interface SlotsOptions {
  readonly documents: SlotDocuments;
  /** Of each user. */
  readonly limit: number;
  /** Who takes, as other nodes know it; `null` where there are none. May reject with `StoreUnavailable`. */
  readonly node?: () => Promise<string | null>;
}

/** What a node knows is a hint that spares look-ups; the documents decide. */
export const openSlots = (options: SlotsOptions): Slots => new DocumentSlots(options);

class DocumentSlots implements Slots {
  readonly total = null;
  readonly #documents: SlotDocuments;
  readonly limit: number;
  readonly #node: () => Promise<string | null>;
  readonly #known = new LRUCache<string, Promise<Known>>({ max: REMEMBERED_SUBJECTS });
  #ready: Promise<void> | null = null;

  constructor({ documents, limit, node = async () => null }: SlotsOptions) {
    this.#documents = documents;
    this.limit = limit;
    this.#node = node;
  }

  async remaining(subject: string): Promise<number> {
    return Math.max(0, this.limit - (await this.#knownOf(subject)).size);
  }

  async isFull(subject: string): Promise<boolean> {
    if ((await this.#knownOf(subject)).size < this.limit) return false;
    // What others have freed since is not known here.
    return (await this.#documents.count(COLLECTION, { subject })) >= this.limit;
  }

  async take(subject: string, holder: string): Promise<boolean> {
    const node = await this.#node();
    const slot = { subject, holder, ...(node !== null && { node }) };
    const known = await this.#knownOf(subject);
    if (known.size < this.limit && (await this.#claim(known, slot, this.limit))) return true;
    if (await this.isFull(subject)) return false;
    return this.#claim(await this.#reload(subject), slot, this.limit);
  }

  async free(subject: string, holder: string): Promise<void> {
    const { known, places } = await this.#placesOf(subject, [holder]);
    await this.#free(known, subject, holder, places.get(holder));
  }

  async keep(subject: string, { ended, running, stillRuns }: KeptStreams): Promise<void> {
    const { known, places } = await this.#placesOf(subject, [...ended, ...running]);
    await Promise.all(ended.map((streamId) => this.#free(known, subject, streamId, places.get(streamId))));
    for (const streamId of running)
      if (!places.has(streamId) && (await stillRuns(streamId)))
        await this.#claim(known, { subject, holder: streamId }, Number.POSITIVE_INFINITY);
  }

  /** Looked up anew when one of the streams has no slot as far as this node knows. */
  async #placesOf(subject: string, streamIds: readonly string[]): Promise<{ known: Known; places: Places }> {
    const known = await this.#knownOf(subject);
    const places = placesOf(known);
    if (streamIds.every((streamId) => places.has(streamId))) return { known, places };
    const read = await this.#reload(subject);
    return { known: read, places: placesOf(read) };
  }

  async #free(known: Known, subject: string, streamId: string, n: number | undefined): Promise<void> {
    if (n === undefined) return;
    // Another node may have freed it, and taken it for another stream.
    await this.#documents.remove(COLLECTION, slotId(subject, n), { streamId });
    if (known.get(n) === streamId) known.delete(n);
  }

  /** Every slot is a document from the start. */
  async store(): Promise<void> {}

  list(): Promise<Slot[]> {
    return this.#all({});
  }

  async heldBy(subject: string, limit: number): Promise<string[]> {
    await this.#prepared();
    const held = await this.#documents.find(COLLECTION, { where: { subject }, limit });
    return held.map(({ body }) => String(body.streamId));
  }

  takenBy(node: string): Promise<Slot[]> {
    return this.#all({ where: { node } });
  }

  async #all(selection: Pick<FindOptions, 'where'>): Promise<Slot[]> {
    await this.#prepared();
    const slots: Slot[] = [];
    for (;;) {
      const page = await this.#documents.find(COLLECTION, { ...selection, skip: slots.length, limit: PAGE });
      slots.push(...page.map(storedSlot).map(({ subject, holder }) => ({ subject, holder })));
      if (page.length < PAGE) return slots;
    }
  }

  /** Creates the first number below `bound` that is free, probing past those that others have taken meanwhile. */
  async #claim(known: Known, slot: Slot & { node?: string }, bound: number): Promise<boolean> {
    const { holder: streamId, ...rest } = slot;
    const body = { ...rest, streamId };
    for (let n = 0; n < bound; n++) {
      if (known.has(n)) continue;
      // Remembered before it is made, so that no other call here tries the same.
      known.set(n, slot.holder);
      try {
        if (await this.#documents.create(COLLECTION, slotId(slot.subject, n), body)) return true;
      } catch (error) {
        known.delete(n);
        throw error;
      }
      known.set(n, '');
    }
    return false;
  }

  #prepared(): Promise<void> {
    this.#ready ??= this.#documents.ensureCollection({ name: COLLECTION, indexes: [['subject'], ['node']] }).catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  #knownOf(subject: string): Promise<Known> {
    return this.#known.get(subject) ?? this.#reload(subject);
  }

  #reload(subject: string): Promise<Known> {
    const reading = this.#read(subject);
    this.#known.set(subject, reading);
    reading.catch(() => this.#known.delete(subject));
    return reading;
  }

  async #read(subject: string): Promise<Known> {
    await this.#prepared();
    const stored = await this.#documents.find(COLLECTION, { where: { subject }, limit: this.limit + PAGE });
    return new Map(stored.map(storedSlot).map(({ n, holder }) => [n, holder]));
  }
}
