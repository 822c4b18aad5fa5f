import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import type { StoredEvent } from './eventStore.ts';
import { canonicalJson } from './hashChain.ts';
import type { SigningKey } from './keys.ts';

/** One seal: see `LogSeal` of the domain, which says what each member is. */
export interface Seal {
  readonly firstEventId: string;
  readonly lastEventId: string;
  readonly count: number;
  readonly digest: string;
  readonly heads: Readonly<Record<string, string>>;
  readonly trail: string;
  readonly keyId: string;
  readonly signature: string;
}

type Unsigned = Omit<Seal, 'keyId' | 'signature'>;

export const SEALS = 'seals';
/** The vault's note of the newest seal. */
export const NEWEST_SEAL = 'newest seal';

/** Whether seals cover an event stream: deliveries may expire, and seals cover all else but themselves. */
export const isSealed = (eventStream: string): boolean => eventStream !== SEALS && !mayExpire(eventStream);
export const mayExpire = (eventStream: string): boolean => eventStream.startsWith('delivery-');

/** Of one event in a seal's trail. */
export const TRAIL_BYTES = 2;

export const trailOf = ({ metadata }: StoredEvent): Buffer => Buffer.from(String(metadata.hash).slice(0, 2 * TRAIL_BYTES), 'hex');

/** Takes events in the order of the log and says what a seal over them says. */
export class SealedRange {
  readonly #hash = createHash('sha256');
  readonly #heads = new Map<string, string>();
  readonly #trail: Buffer[] = [];
  #first: StoredEvent | null = null;
  #last: StoredEvent | null = null;
  /** Bytes of the heads, about: they must fit into one event. */
  #size = 0;

  add(event: StoredEvent): void {
    this.#first ??= event;
    this.#last = event;
    if (!this.#heads.has(event.eventStream)) this.#size += event.eventStream.length + 30;
    this.#heads.set(event.eventStream, String(event.revision));
    this.#trail.push(trailOf(event));
    this.#hash.update(`${event.id} ${String(event.metadata.hash)}\n`);
  }

  get count(): number {
    return this.#trail.length;
  }

  get size(): number {
    return this.#size + 4 * this.#trail.length;
  }

  get first(): StoredEvent | null {
    return this.#first;
  }

  /** Ends it. Throws when it is empty. */
  seal(): Unsigned {
    if (!this.#first || !this.#last) throw new Error('nothing to seal');
    return {
      firstEventId: this.#first.id,
      lastEventId: this.#last.id,
      count: this.count,
      digest: this.#hash.digest('hex'),
      heads: Object.fromEntries(this.#heads),
      trail: Buffer.concat(this.#trail).toString('base64'),
    };
  }
}

const signedBytes = (seal: Seal): Buffer => Buffer.from(canonicalJson(seal, 'signature'));

export const signSeal = (unsigned: Unsigned, { kid, privateKey }: SigningKey): Seal => {
  const seal = { ...unsigned, keyId: kid, signature: '' };
  const signature = sign('sha256', signedBytes(seal), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  return { ...seal, signature };
};

/** Public keys by key id. */
export type PublicKeys = ReadonlyMap<string, KeyObject>;

/** The seal that an event of `seals` holds, and why it cannot be believed, `null` when it can. */
export const readSeal = (data: unknown, keys: PublicKeys): { seal: Seal; reason: null } | { seal: null; reason: string } => {
  if (!isSeal(data)) return { seal: null, reason: 'it is not a seal' };
  const key = keys.get(data.keyId);
  if (!key) return { seal: null, reason: `it is signed with a key that is not known here: ${data.keyId}` };
  const signature = Buffer.from(data.signature, 'base64url');
  const good = verify('sha256', signedBytes(data), { key, dsaEncoding: 'ieee-p1363' }, signature);
  return good ? { seal: data, reason: null } : { seal: null, reason: 'its signature does not hold' };
};

const TEXTS = ['firstEventId', 'lastEventId', 'digest', 'trail', 'keyId', 'signature'] as const;

const isSeal = (value: unknown): value is Seal => {
  if (typeof value !== 'object' || value === null) return false;
  const members: Partial<Record<string, unknown>> = { ...value };
  const { heads, count } = members;
  return (
    TEXTS.every((name) => typeof members[name] === 'string') && typeof count === 'number' && typeof heads === 'object' && heads !== null
  );
};
