import type { Position, StoredEvent } from '../eventStore.ts';
import { isOwnEventStream } from '../log/ownEventStreams.ts';
import type { ChainLink } from './chainLink.ts';
import { type BrokenLink, ChainChecker, EVENTS_AT_A_TIME } from './hashChain.ts';
import { isSealed, type PublicKeys, readSeal, SEALS, type Seal, SealedRange, TRAIL_BYTES, trailOf } from './seals.ts';

export interface Verdict {
  readonly ok: boolean;
  /** Events checked. */
  readonly checked: number;
  /** Position up to which seals cover everything; `null` without seals. */
  readonly sealed: Position | null;
  readonly firstBroken: BrokenLink | null;
  /** Warnings that do not break the log: events of other programs, hidden events that seals cover, access rights. */
  readonly notes: readonly string[];
}

/** The newest seal according to a source outside the log. */
export interface NotedSeal {
  readonly revision: bigint;
  readonly data: unknown;
}

export interface VerifyOptions {
  /** The events of `seals`, in order, from the log or from a copy kept elsewhere. */
  readonly seals: AsyncIterable<StoredEvent>;
  readonly keys: PublicKeys;
  readonly noted: NotedSeal | null;
  /** Whether the vault has the marker of a subject whose erasure the log records. Absent without a vault. */
  readonly isErased?: (subject: string) => Promise<boolean>;
  /** After each page. */
  readonly onProgress?: (checked: number, position: Position | null) => void;
  /** Awaited after every few events, so that a server can answer other requests. */
  readonly pause?: () => Promise<void>;
}

/**
 * Checks every event against its chain, and every sealed part of the log against its seal, in one pass; stops at the first mismatch. `pages` are
 * all events in the order of the log. Reads only as many seals at a time as it needs.
 */
export const verifyLog = async (pages: AsyncIterable<readonly ChainLink[]>, options: VerifyOptions): Promise<Verdict> => {
  const chain = new ChainChecker();
  const seals = new SealChecker(chain, new SealReader(options));
  const others = new OtherPrograms();
  let checked = 0;
  let last: Position | null = null;
  const verdict = (firstBroken: BrokenLink | null): Verdict => ({
    ok: firstBroken === null,
    checked,
    sealed: seals.sealed,
    firstBroken,
    notes: others.notes(),
  });
  const refused = await seals.begin();
  if (refused) return verdict(refused);
  for await (const page of pages) {
    for (const event of page) {
      if (others.take(event)) continue;
      checked += 1;
      const broken = chain.check(event) ?? (isSealed(event.eventStream) && seals.take(event) ? await seals.end(event) : null);
      const resurrected = broken ?? (await resurrection(event, options.isErased));
      if (resurrected) return verdict(resurrected);
      last = event.position;
      if (checked % EVENTS_AT_A_TIME === 0) await options.pause?.();
    }
    options.onProgress?.(checked, last);
  }
  return verdict(seals.afterAll(last));
};

/** Without its marker, an erased subject could get a new key. */
const resurrection = async (
  { erases, eventStream, revision, position }: ChainLink,
  isErased: VerifyOptions['isErased'],
): Promise<BrokenLink | null> => {
  if (erases === null || !isErased || (await isErased(erases))) return null;
  return { eventStream, revision, position, reason: 'the vault has lost the marker of a subject that was erased here' };
};

/** Events in event streams of other programs. They have no hashes, and seals do not cover them. */
class OtherPrograms {
  #events = 0;
  #example = '';

  /** Whether another program wrote the event. */
  take({ eventStream }: ChainLink): boolean {
    if (isOwnEventStream(eventStream)) return false;
    if (this.#events === 0) this.#example = eventStream;
    this.#events += 1;
    return true;
  }

  notes(): readonly string[] {
    if (this.#events === 0) return [];
    const events = this.#events === 1 ? '1 event was' : `${this.#events} events were`;
    return [`${events} written by other programs, for example in the event stream ${this.#example}, and cannot be verified.`];
  }
}

/** The seals in order, each accepted only under a known key, followed by the one that is known from elsewhere. */
class SealReader {
  readonly #iterator: AsyncIterator<StoredEvent>;
  readonly #keys: PublicKeys;
  readonly #noted: NotedSeal | null;
  #due = 0n;
  /** A seal that is known from elsewhere and missing in the log. */
  lost: { readonly seal: Seal; readonly link: BrokenLink } | null = null;

  constructor({ seals, keys, noted }: VerifyOptions) {
    this.#iterator = seals[Symbol.asyncIterator]();
    this.#keys = keys;
    this.#noted = noted;
  }

  async next(): Promise<{ seal: Seal | null; broken: BrokenLink | null }> {
    const { value, done } = await this.#iterator.next();
    if (done) return this.#fromNote();
    const { revision, position, data }: StoredEvent = value;
    if (revision !== this.#due) return broken(SEALS, this.#due, position, `the seal ${this.#due} is missing`);
    this.#due += 1n;
    const { seal, reason } = readSeal(data, this.#keys);
    if (!seal) return broken(SEALS, revision, position, `a seal is not valid: ${reason}`);
    if (this.#noted?.revision === revision && JSON.stringify(this.#noted.data) !== JSON.stringify(data)) {
      const { seal: noted } = readSeal(this.#noted.data, this.#keys);
      if (noted?.signature !== seal.signature) return broken(SEALS, revision, position, 'it is not the seal that the vault remembers');
    }
    return { seal, broken: null };
  }

  /** A newer seal than the log has: the next one, or, if more are missing, one with an unknown start. */
  #fromNote(): { seal: Seal | null; broken: BrokenLink | null } {
    const due = this.#due;
    if (!this.#noted || this.#noted.revision < due) return { seal: null, broken: null };
    this.#due = this.#noted.revision + 1n;
    const { seal, reason } = readSeal(this.#noted.data, this.#keys);
    if (!seal) return broken(SEALS, this.#noted.revision, '', `the vault's seal is not valid: ${reason}`);
    this.lost = { seal, link: { eventStream: SEALS, revision: due, position: '', reason: `the log has lost the seal ${due}` } };
    return { seal: this.#noted.revision === due ? seal : null, broken: null };
  }
}

const broken = (eventStream: string, revision: bigint, position: string, reason: string) => ({
  seal: null,
  broken: { eventStream, revision, position, reason },
});

/**
 * Walks along the seals. In a sealed part each event must match the trail at its place. After a mismatch the walk continues to the end of that
 * part, so that the seal's heads can name the missing events.
 */
class SealChecker {
  sealed: Position | null = null;
  readonly #chain: ChainChecker;
  readonly #reader: SealReader;
  #seal: Seal | null = null;
  #next: Seal | null = null;
  #trail = Buffer.alloc(0);
  #range = new SealedRange();
  #suspect: ChainLink | null = null;

  constructor(chain: ChainChecker, reader: SealReader) {
    this.#chain = chain;
    this.#reader = reader;
  }

  async begin(): Promise<BrokenLink | null> {
    return (await this.#advance()) ?? (await this.#advance());
  }

  /** `true` if the sealed part ends here: call `end`. */
  take(event: ChainLink): boolean {
    if (!this.#seal) return false;
    if (event.id === this.#next?.firstEventId) return true;
    const at = this.#range.count * TRAIL_BYTES;
    if (!this.#suspect && this.#differs(event, at)) this.#suspect = event;
    this.#range.add(event);
    return event.id === this.#seal.lastEventId;
  }

  /** Whether another event was sealed here. A seal of the first form cannot tell; its digest will. */
  #differs(event: ChainLink, at: number): boolean {
    if (this.#seal?.trail === undefined) return false;
    return at + TRAIL_BYTES > this.#trail.length || this.#trail.readUInt16BE(at) !== trailOf(event);
  }

  async end(event: ChainLink): Promise<BrokenLink | null> {
    const seal = this.#seal;
    if (!seal) return null;
    const whole = event.id === seal.lastEventId && this.#range.count === seal.count && this.#range.seal().digest === seal.digest;
    if (!whole || this.#suspect) return this.#explained(seal, this.#suspect ?? event);
    this.sealed = event.position;
    return this.#advance();
  }

  /** Events that were sealed but are missing. */
  afterAll(last: Position | null): BrokenLink | null {
    const { lost } = this.#reader;
    const position = last ?? '';
    if (!this.#seal) return lost && (this.#missing(lost.seal, position) ?? { ...lost.link, position });
    if (this.#suspect) return this.#explained(this.#seal, this.#suspect);
    return (
      this.#missing(this.#seal, position) ?? {
        eventStream: '',
        revision: 0n,
        position,
        reason: `the log ends before the event ${this.#seal.lastEventId}, which is sealed`,
      }
    );
  }

  async #advance(): Promise<BrokenLink | null> {
    this.#seal = this.#next;
    this.#trail = Buffer.from(this.#seal?.trail ?? '', 'base64');
    this.#range = new SealedRange();
    this.#suspect = null;
    const { seal, broken: refused } = await this.#reader.next();
    this.#next = seal;
    return refused;
  }

  #explained(seal: Seal, { eventStream, revision, position }: ChainLink): BrokenLink {
    const reason = 'another event was sealed at this position. An event was moved, removed or inserted here';
    return this.#missing(seal, position) ?? { eventStream, revision, position, reason };
  }

  /** An event stream that ends before the revision in the seal. */
  #missing(seal: Seal, position: string): BrokenLink | null {
    const heads = this.#chain.heads();
    for (const [eventStream, named] of Object.entries(seal.heads)) {
      const head = heads.get(eventStream);
      const revision = BigInt(named);
      if (head === undefined)
        return { eventStream, revision: 0n, position, reason: `the whole event stream is gone: revision ${named} is sealed` };
      if (head < revision) {
        const due = head + 1n;
        return { eventStream, revision: due, position, reason: `revision ${due} is missing: ${named} is sealed` };
      }
    }
    return null;
  }
}
