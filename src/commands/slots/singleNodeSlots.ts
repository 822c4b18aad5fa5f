import type { Documents, StoredDocument } from '../../stores/documents.ts';
import { documentPages } from '../../stores/pages.ts';
import { type KeptStreams, ServerFull, type Slot, type Slots, slotId, storedSlot } from './slots.ts';

type SlotDocuments = Pick<Documents, 'ensureCollection' | 'create' | 'replace' | 'find' | 'remove'>;

interface Held extends Slot {
  readonly n: number;
  /** Its document is stored or being stored. */
  stored: boolean;
  freed?: true;
}

const COLLECTION = 'slots';
const PAGE = 1_000;

/** The slots of one user. A user may hold thousands, and each upload takes and frees one: `take`, `has` and `remove` visit none of the others. */
class HeldSlots {
  readonly #byHolder = new Map<string, Held[]>();
  /** Numbers below `#next` that are free. */
  readonly #free: number[] = [];
  #next = 0;
  size = 0;

  *[Symbol.iterator](): Iterator<Held> {
    for (const slots of this.#byHolder.values()) yield* slots;
  }

  has(holder: string): boolean {
    return this.#byHolder.has(holder);
  }

  /** A slot with a number that no other one has. */
  take(subject: string, holder: string): Held {
    const n = this.#free.pop() ?? this.#next++;
    const slot: Held = { subject, holder, n, stored: false };
    this.#put(slot);
    return slot;
  }

  /** A stored slot. Call it for all of them before `take`; numbers between them stay unused until a restart. */
  restore(slot: Held): void {
    this.#put(slot);
    this.#next = Math.max(this.#next, slot.n + 1);
  }

  /** Removes the last slot of the holder, if it has any. */
  remove(holder: string): Held | undefined {
    const slots = this.#byHolder.get(holder);
    const slot = slots?.pop();
    if (!slots || !slot) return undefined;
    if (slots.length === 0) this.#byHolder.delete(holder);
    slot.freed = true;
    this.#free.push(slot.n);
    this.size -= 1;
    return slot;
  }

  #put(slot: Held): void {
    const slots = this.#byHolder.get(slot.holder);
    if (slots) slots.push(slot);
    else this.#byHolder.set(slot.holder, [slot]);
    this.size += 1;
  }
}

const NONE = new HeldSlots();

/**
 * The slots of a single node, decided in memory. Only slots still held when the completion policy saves its checkpoint become documents (`store`),
 * so a short stream costs none. After a restart, the documents and the log from that checkpoint restore all slots.
 */
export class SingleNodeSlots implements Slots {
  readonly #documents: SlotDocuments;
  readonly limit: number;
  readonly #ofSubject = new Map<string, HeldSlots>();
  readonly #unstored = new Set<Held>();
  #ready: Promise<void> | null = null;

  readonly #totalLimit: number;
  #total = 0;

  /** `limit` is per user, `total` for all users. */
  constructor(documents: SlotDocuments, limit: number, total = Number.POSITIVE_INFINITY) {
    this.#documents = documents;
    this.limit = limit;
    this.#totalLimit = total;
  }

  get total(): { held: number; limit: number } {
    return { held: this.#total, limit: this.#totalLimit };
  }

  async refuseAboveTotal(): Promise<void> {
    this.#refuseAboveTotal();
  }

  async remaining(subject: string): Promise<number> {
    await this.#prepared();
    return Math.max(0, this.limit - this.#heldNow(subject).size);
  }

  async isFull(subject: string): Promise<boolean> {
    await this.#prepared();
    return this.#heldNow(subject).size >= this.limit;
  }

  async take(subject: string, holder: string): Promise<boolean> {
    await this.#prepared();
    // No await until the slot is added, so that a burst cannot exceed the limits.
    this.#refuseAboveTotal();
    if (this.#heldNow(subject).size >= this.limit) return false;
    this.#add(subject, holder);
    return true;
  }

  async free(subject: string, holder: string): Promise<void> {
    await this.#prepared();
    const held = this.#ofSubject.get(subject);
    const slot = held?.remove(holder);
    if (!held || !slot) return;
    this.#total -= 1;
    if (held.size === 0) this.#ofSubject.delete(subject);
    this.#unstored.delete(slot);
    // A document being stored is written first: the store keeps the order of calls.
    if (slot.stored) await this.#documents.remove(COLLECTION, slotId(slot.subject, slot.n), { streamId: holder });
  }

  async keep(subject: string, { ended, running, stillRuns }: KeptStreams): Promise<void> {
    for (const holder of ended) await this.free(subject, holder);
    const isHeld = (holder: string) => this.#heldNow(subject).has(holder);
    await this.#prepared();
    for (const holder of running) if (!isHeld(holder) && (await stillRuns(holder)) && !isHeld(holder)) this.#add(subject, holder);
  }

  async store(): Promise<void> {
    await this.#prepared();
    await Promise.all([...this.#unstored].map((slot) => this.#store(slot)));
  }

  async list(): Promise<Slot[]> {
    await this.#prepared();
    return [...this.#ofSubject.values()].flatMap((held) => [...held].map(({ subject, holder }) => ({ subject, holder })));
  }

  async heldBy(subject: string, limit: number): Promise<string[]> {
    await this.#prepared();
    return [...this.#heldNow(subject)].slice(0, limit).map(({ holder }) => holder);
  }

  /** There are no other nodes. */
  async takenBy(): Promise<Slot[]> {
    return [];
  }

  #refuseAboveTotal(): void {
    if (this.#total >= this.#totalLimit) throw new ServerFull();
  }

  #add(subject: string, holder: string): void {
    const held = this.#ofSubject.get(subject) ?? new HeldSlots();
    this.#ofSubject.set(subject, held);
    const slot = held.take(subject, holder);
    this.#total += 1;
    this.#unstored.add(slot);
  }

  async #store(slot: Held): Promise<void> {
    const { subject, holder, n } = slot;
    const body = { subject, streamId: holder };
    this.#unstored.delete(slot);
    slot.stored = true;
    try {
      // The document of a former holder could not be removed and is in its place.
      if (!(await this.#documents.create(COLLECTION, slotId(subject, n), body)))
        await this.#documents.replace(COLLECTION, slotId(subject, n), body);
    } catch (error) {
      slot.stored = false;
      if (!slot.freed) this.#unstored.add(slot);
      throw error;
    }
  }

  /** Call it again after every `await`: other calls take and free slots meanwhile. */
  #heldNow(subject: string): Pick<HeldSlots, 'size' | 'has' | typeof Symbol.iterator> {
    return this.#ofSubject.get(subject) ?? NONE;
  }

  #prepared(): Promise<void> {
    this.#ready ??= this.#load().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  async #load(): Promise<void> {
    await this.#documents.ensureCollection({ name: COLLECTION, indexes: [['subject'], ['node']] });
    const found: StoredDocument[] = [];
    for await (const page of documentPages(this.#documents, COLLECTION, {}, PAGE)) found.push(...page);
    // Nothing is counted before the last page is read: a failed load starts over.
    for (const document of found) {
      const slot = { ...storedSlot(document), stored: true };
      const held = this.#ofSubject.get(slot.subject) ?? new HeldSlots();
      this.#ofSubject.set(slot.subject, held);
      held.restore(slot);
    }
    this.#total = found.length;
  }
}
