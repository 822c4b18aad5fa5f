import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { isJsonObject } from '../../json.ts';
import { canonicalJson } from '../canonicalJson.ts';
import type { SigningKey } from '../keys/signingKeys.ts';
import { isOwnEventStream } from '../log/ownEventStreams.ts';
import type { ChainLink } from './chainLink.ts';

/** A seal: see `LogSealed` of the domain for its members. */
export interface Seal {
  readonly firstEventId: string;
  readonly lastEventId: string;
  readonly count: number;
  readonly digest: string;
  readonly heads: Readonly<Record<string, string>>;
  /** Missing in seals of the first form. */
  readonly trail?: string;
  readonly keyId: string;
  readonly signature: string;
}

type Unsigned = Omit<Seal, 'keyId' | 'signature'>;

/** New seals have every member. */
type Complete = Required<Seal>;

export const SEALS = 'seals';
/** The vault's note of the newest seal. */
export const NEWEST_SEAL = 'newest seal';

/** Whether seals cover an event stream: everything of this platform except deliveries, which may expire, and the seals themselves. */
export const isSealed = (eventStream: string): boolean => eventStream !== SEALS && !mayExpire(eventStream) && isOwnEventStream(eventStream);
export const mayExpire = (eventStream: string): boolean => eventStream.startsWith('delivery-');

/** The entry of one event in a seal's trail. */
export const TRAIL_BYTES = 2;

/** As a number; 0 for an event without a hash, which the chain reports. */
export const trailOf = ({ hash }: Pick<ChainLink, 'hash'>): number =>
  hash === null ? 0 : Number.parseInt(hash.slice(0, 2 * TRAIL_BYTES), 16) || 0;

/** An event as a seal covers it. */
type SealedLink = Pick<ChainLink, 'id' | 'eventStream' | 'revision' | 'hash'>;

const HASHED_TOGETHER = 32_768;

/** Collects events in the order of the log and computes a seal over them. */
export class SealedRange {
  readonly #hash = createHash('sha256');
  /** Built as it grows: building it from thousands of members at the end would block the event loop. */
  readonly #heads: Record<string, string> = {};
  readonly #trail: number[] = [];
  /** Lines that wait to be hashed, since hashing many at once costs less. */
  #lines = '';
  #first: SealedLink | null = null;
  #last: SealedLink | null = null;
  /** Approximate bytes of the heads, which must fit into one event. */
  #size = 0;

  add(event: SealedLink): void {
    this.#first ??= event;
    this.#last = event;
    if (!Object.hasOwn(this.#heads, event.eventStream)) this.#size += event.eventStream.length + 30;
    this.#heads[event.eventStream] = String(event.revision);
    this.#trail.push(trailOf(event));
    this.#lines += `${event.id} ${String(event.hash)}\n`;
    if (this.#lines.length > HASHED_TOGETHER) this.#flush();
  }

  get count(): number {
    return this.#trail.length;
  }

  get size(): number {
    return this.#size + 4 * this.#trail.length;
  }

  /** Returns the seal's content. Throws if there are no events. */
  seal(): Omit<Complete, 'keyId' | 'signature'> {
    if (!this.#first || !this.#last) throw new Error('nothing to seal');
    this.#flush();
    const trail = Buffer.alloc(TRAIL_BYTES * this.count);
    for (const [n, value] of this.#trail.entries()) trail.writeUInt16BE(value, n * TRAIL_BYTES);
    return {
      firstEventId: this.#first.id,
      lastEventId: this.#last.id,
      count: this.count,
      digest: this.#hash.digest('hex'),
      heads: this.#heads,
      trail: trail.toString('base64'),
    };
  }

  #flush(): void {
    this.#hash.update(this.#lines);
    this.#lines = '';
  }
}

const signedBytes = (seal: Seal): Buffer => Buffer.from(canonicalJson(seal, 'signature'));

export const signSeal = <U extends Unsigned>(unsigned: U, { kid, privateKey }: SigningKey): U & Pick<Seal, 'keyId' | 'signature'> => {
  const seal = { ...unsigned, keyId: kid, signature: '' };
  const signature = sign('sha256', signedBytes(seal), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  return { ...seal, signature };
};

/** Public keys by key id. */
export type PublicKeys = ReadonlyMap<string, KeyObject>;

/** The seal in an event of `seals`, and why it is invalid; `null` if it is valid. */
export const readSeal = (data: unknown, keys: PublicKeys): { seal: Seal; reason: null } | { seal: null; reason: string } => {
  if (!isSeal(data)) return { seal: null, reason: 'it is not a seal' };
  const key = keys.get(data.keyId);
  if (!key) return { seal: null, reason: `it is signed with an unknown key: ${data.keyId}` };
  const signature = Buffer.from(data.signature, 'base64url');
  const good = verify('sha256', signedBytes(data), { key, dsaEncoding: 'ieee-p1363' }, signature);
  return good ? { seal: data, reason: null } : { seal: null, reason: 'its signature is not valid' };
};

const TEXTS = ['firstEventId', 'lastEventId', 'digest', 'keyId', 'signature'] as const;

const isSeal = (value: unknown): value is Seal =>
  isJsonObject(value) &&
  TEXTS.every((name) => typeof value[name] === 'string') &&
  typeof value.count === 'number' &&
  isJsonObject(value.heads);
