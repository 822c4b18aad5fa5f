import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problem.ts';
import type { Documents, FindOptions, StoredDocument } from '../../stores/documents.ts';
import { documentPages } from '../../stores/pages.ts';
import { CountedSlots } from './countedSlots.ts';

/** One of the running streams that a user's limit allows. */
export interface Slot {
  readonly subject: string;
  /** The attempt that holds it (`slotHolder`). Stored as `streamId`. */
  readonly holder: string;
}

/**
 * Limits how many streams a user runs at once. A slot is the document `<subject>/slot/<n>` of the collection `slots`; since it can be created only
 * once, it decides between nodes. All methods may reject with `StoreUnavailable`.
 */
export interface Slots {
  /** Limit of each user. */
  readonly limit: number;
  /** Streams of all users, on a single node; `null` if other nodes take slots too. */
  readonly total: { readonly held: number; readonly limit: number } | null;
  /**
   * Rejects with `ServerFull` if the streams of all users reach `MAX_RUNNING_STREAMS`, which bounds the memory and disk of waiting streams. Only a hint,
   * like `isFull`.
   */
  refuseAboveTotal(): Promise<void>;
  /** How many more streams the user may run, as far as this node knows; at least 0. */
  remaining(subject: string): Promise<number>;
  /** Whether `take` would be refused now. Only a hint: other calls may take or free slots meanwhile. */
  isFull(subject: string): Promise<boolean>;
  /** `false` if the user holds as many as the limit allows. Rejects with 503 at the limit of `total`. Two calls for one stream take two slots. */
  take(subject: string, holder: string): Promise<boolean>;
  /** Frees one slot of the stream, if it has any. */
  free(subject: string, holder: string): Promise<void>;
  /** Corrects a user's slots by the streams' state in the log; reads other nodes' slots at most once. */
  keep(subject: string, streams: KeptStreams): Promise<void>;
  list(): Promise<Slot[]>;
  /** Up to `limit` streams that hold slots of a user. */
  heldBy(subject: string, limit: number): Promise<string[]>;
  /** When it resolves, all held slots survive a restart. The completion policy calls it before it saves its checkpoint. */
  store(): Promise<void>;
  /** Slots that a node took: of its running uploads, and of running streams that began with one. */
  takenBy(node: string): Promise<Slot[]>;
}

/** The server accepts no more streams of any user. Nothing was stored. */
export class ServerFull extends Problem {
  constructor() {
    const message = 'The server has reached its limit of running streams (MAX_RUNNING_STREAMS). Try again in a few seconds.';
    super('GENERAL_INTERNAL_ERROR', message, { statusCode: 503, title: 'Unavailable', headers: { 'Retry-After': '2' } });
  }
}

export interface KeptStreams {
  /** Streams whose slots are freed. */
  readonly ended: readonly string[];
  /** Streams that have a slot: one without gets a new one, even above the limit, if it still runs. */
  readonly running: readonly string[];
  stillRuns(holder: string): Promise<boolean>;
}

const COLLECTION = 'slots';
const REMEMBERED_SUBJECTS = 10_000;
const PAGE = 1_000;

/** The slots of a subject by number, as far as this node knows: other nodes may have taken or freed some. */
type Known = Map<number, string>;

/** The last slot of a stream: if two nodes took one for the same stream, each frees its own, which names the node with the upload. */
type Places = ReadonlyMap<string, number>;

const placesOf = (known: Known): Places => new Map([...known].map(([n, streamId]) => [streamId, n]));

export const slotId = (subject: string, n: number): string => `${subject}/slot/${n}`;

/** A slot read from its document, and its number. */
export const storedSlot = ({ id, body }: Pick<StoredDocument, 'id' | 'body'>): Slot & { n: number } => {
  const subject = String(body.subject);
  return { subject, holder: String(body.streamId), n: Number(id.slice(slotId(subject, 0).length - 1)) };
};

/** The part of `Documents` that slots use. */
export type SlotDocuments = Pick<Documents, 'ensureCollection' | 'create' | 'find' | 'count' | 'remove'>;

export interface SlotsOptions {
  readonly documents: SlotDocuments;
  /** Limit of each user. */
  readonly limit: number;
  /** This node's name for other nodes; `null` if there are none. May reject with `StoreUnavailable`. */
  readonly node?: () => Promise<string | null>;
  /** Limit of all users together. Other nodes' slots are counted every ten seconds, so it may be exceeded by what they take meanwhile. */
  readonly total?: { readonly limit: number; readonly clock: Clock };
}

/** The local knowledge saves look-ups; the documents decide. */
export const openSlots = (options: SlotsOptions): Slots => new DocumentSlots(options);

class DocumentSlots implements Slots {
  readonly total = null;
  readonly #inAll: CountedSlots | null;
  readonly #documents: SlotDocuments;
  readonly limit: number;
  readonly #node: () => Promise<string | null>;
  readonly #known = new LRUCache<string, Promise<Known>>({ max: REMEMBERED_SUBJECTS });
  #ready: Promise<void> | null = null;

  constructor({ documents, limit, node = async () => null, total }: SlotsOptions) {
    this.#documents = documents;
    this.limit = limit;
    this.#node = node;
    const count = () => this.#prepared().then(() => documents.count(COLLECTION));
    this.#inAll = total ? new CountedSlots({ ...total, count }) : null;
  }

  async refuseAboveTotal(): Promise<void> {
    if (await this.#inAll?.isFull()) throw new ServerFull();
  }

  async remaining(subject: string): Promise<number> {
    return Math.max(0, this.limit - (await this.#knownOf(subject)).size);
  }

  async isFull(subject: string): Promise<boolean> {
    if ((await this.#knownOf(subject)).size < this.limit) return false;
    // This node does not know which slots others have freed.
    return (await this.#documents.count(COLLECTION, { subject })) >= this.limit;
  }

  async take(subject: string, holder: string): Promise<boolean> {
    if ((await this.#inAll?.reserve()) === false) throw new ServerFull();
    let isTaken = false;
    try {
      isTaken = await this.#takeOwn(subject, holder);
      return isTaken;
    } finally {
      if (!isTaken) this.#inAll?.add(-1);
    }
  }

  /** Within the user's limit. */
  async #takeOwn(subject: string, holder: string): Promise<boolean> {
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
    for (const streamId of running) if (!places.has(streamId) && (await stillRuns(streamId))) await this.#restore(known, subject, streamId);
  }

  /** A slot of a running stream, even above the limits. */
  async #restore(known: Known, subject: string, holder: string): Promise<void> {
    if (await this.#claim(known, { subject, holder }, Number.POSITIVE_INFINITY)) this.#inAll?.add(1);
  }

  /** Reads the slots again if one of the streams has no slot as far as this node knows. */
  async #placesOf(subject: string, streamIds: readonly string[]): Promise<{ known: Known; places: Places }> {
    const known = await this.#knownOf(subject);
    const places = placesOf(known);
    if (streamIds.every((streamId) => places.has(streamId))) return { known, places };
    const read = await this.#reload(subject);
    return { known: read, places: placesOf(read) };
  }

  async #free(known: Known, subject: string, streamId: string, n: number | undefined): Promise<void> {
    if (n === undefined) return;
    // Another node may have freed it and taken it for another stream.
    await this.#documents.remove(COLLECTION, slotId(subject, n), { streamId });
    this.#inAll?.add(-1);
    if (known.get(n) === streamId) known.delete(n);
  }

  /** Slots as documents from the start. */
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
    for await (const page of documentPages(this.#documents, COLLECTION, selection, PAGE))
      slots.push(...page.map(storedSlot).map(({ subject, holder }) => ({ subject, holder })));
    return slots;
  }

  /** Creates the first free number below `bound`, skipping numbers that other nodes have taken. */
  async #claim(known: Known, slot: Slot & { node?: string }, bound: number): Promise<boolean> {
    const { holder: streamId, ...rest } = slot;
    const body = { ...rest, streamId };
    for (let n = 0; n < bound; n++) {
      if (known.has(n)) continue;
      // Reserved before it is created, so that no other call here tries the same number.
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

/**
 * The holder of a slot is an attempt of a stream: the stream's id for the upload, `<streamId>#<attempt>` for a rerun, so that the end of one
 * attempt never frees the slot of the next.
 */
export const slotHolder = (streamId: string, attempt = 1): string => (attempt === 1 ? streamId : `${streamId}#${attempt}`);

export const heldFor = (holder: string): { streamId: string; attempt: number } => {
  const [streamId = '', attempt = '1'] = holder.split('#');
  return { streamId, attempt: Number(attempt) };
};
