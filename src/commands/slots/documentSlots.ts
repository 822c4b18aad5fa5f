import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Documents, FindOptions } from '../../stores/documents.ts';
import { documentPages } from '../../stores/pages.ts';
import { CountedSlots } from './countedSlots.ts';
import { type KeptStreams, ServerFull, type Slot, type Slots, slotId, storedSlot } from './slots.ts';

const COLLECTION = 'slots';
const REMEMBERED_SUBJECTS = 10_000;
const PAGE = 1_000;

/** The slots of a subject by number, as far as this node knows: other nodes may have taken or freed some. */
type Known = Map<number, string>;

/** The last slot of a stream: if two nodes took one for the same stream, each frees its own, which names the node with the upload. */
type Places = ReadonlyMap<string, number>;

const placesOf = (known: Known): Places => new Map([...known].map(([n, streamId]) => [streamId, n]));

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
