import type { Documents, StoredDocument } from '../stores/documents.ts';
import { documentPages } from '../stores/pages.ts';
import { type KeptStreams, refuseAboveTotal, type Slot, type Slots, slotId, storedSlot } from './slots.ts';

type SlotDocuments = Pick<Documents, 'ensureCollection' | 'create' | 'replace' | 'find' | 'remove'>;

interface Held extends Slot {
  readonly n: number;
  /** Its document is stored or being stored. */
  stored: boolean;
}

const COLLECTION = 'slots';
const PAGE = 1_000;
const NONE: ReadonlyMap<number, Held> = new Map();

/**
 * The slots of a single node, decided in memory. Only slots still held when the completion policy saves its checkpoint become documents (`store`),
 * so a short stream costs none. After a restart, the documents and the log from that checkpoint restore all slots.
 */
export class SingleNodeSlots implements Slots {
  readonly #documents: SlotDocuments;
  readonly limit: number;
  readonly #ofSubject = new Map<string, Map<number, Held>>();
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
    refuseAboveTotal(this);
    if (this.#heldNow(subject).size >= this.limit) return false;
    this.#add(subject, holder);
    return true;
  }

  async free(subject: string, holder: string): Promise<void> {
    await this.#prepared();
    const held = this.#ofSubject.get(subject);
    const slot = [...(held?.values() ?? [])].reverse().find((one) => one.holder === holder);
    if (!held || !slot) return;
    held.delete(slot.n);
    this.#total -= 1;
    if (held.size === 0) this.#ofSubject.delete(subject);
    this.#unstored.delete(slot);
    // A document being stored is written first: the store keeps the order of calls.
    if (slot.stored) await this.#documents.remove(COLLECTION, slotId(slot.subject, slot.n), { streamId: holder });
  }

  async keep(subject: string, { ended, running, stillRuns }: KeptStreams): Promise<void> {
    for (const holder of ended) await this.free(subject, holder);
    const isHeld = (holder: string) => [...this.#heldNow(subject).values()].some((one) => one.holder === holder);
    await this.#prepared();
    for (const holder of running) if (!isHeld(holder) && (await stillRuns(holder)) && !isHeld(holder)) this.#add(subject, holder);
  }

  async store(): Promise<void> {
    await this.#prepared();
    await Promise.all([...this.#unstored].map((slot) => this.#store(slot)));
  }

  async list(): Promise<Slot[]> {
    await this.#prepared();
    return [...this.#ofSubject.values()].flatMap((held) => [...held.values()].map(({ subject, holder }) => ({ subject, holder })));
  }

  async heldBy(subject: string, limit: number): Promise<string[]> {
    await this.#prepared();
    return [...this.#heldNow(subject).values()].slice(0, limit).map(({ holder }) => holder);
  }

  /** There are no other nodes. */
  async takenBy(): Promise<Slot[]> {
    return [];
  }

  #add(subject: string, holder: string): void {
    const held = this.#ofSubject.get(subject) ?? new Map<number, Held>();
    this.#ofSubject.set(subject, held);
    let n = 0;
    while (held.has(n)) n++;
    const slot: Held = { subject, holder, n, stored: false };
    held.set(n, slot);
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
      if (this.#ofSubject.get(subject)?.get(n) === slot) this.#unstored.add(slot);
      throw error;
    }
  }

  /** Call it again after every `await`: other calls take and free slots meanwhile. */
  #heldNow(subject: string): ReadonlyMap<number, Held> {
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
      const held = this.#ofSubject.get(slot.subject) ?? new Map<number, Held>();
      this.#ofSubject.set(slot.subject, held.set(slot.n, slot));
    }
    this.#total = found.length;
  }
}
