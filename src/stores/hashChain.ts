import { hash } from 'node:crypto';
import type { StoredEvent } from './eventStore.ts';

/** Member names come again and again: their JSON text is remembered, of as many as a program has and no caller can swell. */
const quotedNames = new Map<string, string>();
const REMEMBERED_NAMES = 500;

const quoted = (name: string): string => {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name);
  if (quotedNames.size < REMEMBERED_NAMES && name.length < 64) quotedNames.set(name, text);
  return text;
};

const FEW = 24;

/** By UTF-16 code units, in place. By hand for the few members that objects have: half the time of `sort`. */
const inOrder = (keys: string[]): string[] => {
  if (keys.length > FEW) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] ?? '';
    let j = i - 1;
    for (let other = keys[j]; other !== undefined && other > key; other = keys[j]) {
      keys[j + 1] = other;
      j -= 1;
    }
    keys[j + 1] = key;
  }
  return keys;
};

/**
 * RFC 8785 (JCS): members in the order of their UTF-16 code units, no white space, numbers and strings as ECMAScript writes them. Takes what JSON
 * can say (members that are `undefined` are left out, as JSON does, and the outermost member `without`); throws on anything else. Tested to give what `canonicalize` gives.
 */
export const canonicalJson = (value: unknown, without?: string): string => {
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} is not JSON`);
    const text = JSON.stringify(value);
    if (text === undefined) throw new Error(`${typeof value} is not JSON`);
    return text;
  }
  if (Array.isArray(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + canonicalJson(value[i] ?? null);
    return `${text}]`;
  }
  // Only objects are left; their members are read by own keys.
  const members = value as Record<string, unknown>;
  let text = '{';
  for (const key of inOrder(Object.keys(members))) {
    const member = members[key];
    if (member !== undefined && key !== without) text += `${text.length === 1 ? '' : ','}${quoted(key)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
};

type Hashed = Pick<StoredEvent, 'eventStream' | 'revision' | 'id' | 'type' | 'data' | 'metadata'> & {
  readonly previousHash: string | null;
};

/**
 * Hex SHA-256 over the JCS of `{eventStream, revision, previousHash, id, type, data, metadata}` as stored, the metadata without its `hash`;
 * `revision` as decimal text, the form in which events are shown.
 */
export const hashOf = ({ eventStream, revision, previousHash, id, type, data, metadata }: Hashed): string => {
  // The members in their canonical order, so that nothing has to be sorted or copied here.
  const text =
    `{"data":${canonicalJson(data)},"eventStream":${JSON.stringify(eventStream)},"id":${JSON.stringify(id)},` +
    `"metadata":${canonicalJson(metadata, 'hash')},"previousHash":${JSON.stringify(previousHash)},` +
    `"revision":"${revision}","type":${JSON.stringify(type)}}`;
  return hash('sha256', text);
};

/** The first place where a chain does not hold, and why. */
export interface BrokenLink {
  readonly eventStream: string;
  readonly revision: bigint;
  readonly position: string;
  readonly reason: string;
}

export interface ChainCheckOptions {
  /** Event streams whose first events may have expired: their chain may begin anywhere. */
  readonly mayBeginLate?: (eventStream: string) => boolean;
}

/** Checks events in the order of the log, of one event stream or of many mixed. Remembers the last revision and hash of each. */
export class ChainChecker {
  readonly #ends = new Map<string, { revision: bigint; hash: string }>();
  readonly #mayBeginLate: (eventStream: string) => boolean;

  constructor({ mayBeginLate = () => false }: ChainCheckOptions = {}) {
    this.#mayBeginLate = mayBeginLate;
  }

  /** `null` when the event stands where it should and is as it was written. */
  check(event: StoredEvent): BrokenLink | null {
    const reason = this.#placeProblem(event) ?? contentProblem(event);
    // The chain goes on from the stored hash, so that one edit is one finding.
    this.#ends.set(event.eventStream, { revision: event.revision, hash: String(event.metadata.hash) });
    return reason === null ? null : broken(event, reason);
  }

  /** Event streams seen, and the revision of each one's last event. */
  heads(): ReadonlyMap<string, bigint> {
    return new Map([...this.#ends].map(([eventStream, { revision }]) => [eventStream, revision]));
  }

  #placeProblem({ eventStream, revision, metadata }: StoredEvent): string | null {
    const end = this.#ends.get(eventStream);
    if (!end) {
      if (this.#mayBeginLate(eventStream)) return null;
      if (revision !== 0n) return `it should begin at revision 0: ${revision} events are missing before this one`;
      return metadata.previousHash === null ? null : 'the first event names an event before it';
    }
    const due = end.revision + 1n;
    if (revision !== due) return revision > due ? `revision ${due} is missing` : `revision ${revision} is there again`;
    return metadata.previousHash === end.hash ? null : 'it does not name the hash of the event before it';
  }
}

const contentProblem = (event: StoredEvent): string | null => {
  const { hash, previousHash } = event.metadata;
  if (typeof hash !== 'string' || (typeof previousHash !== 'string' && previousHash !== null)) return 'it carries no hash';
  return hashOf({ ...event, previousHash }) === hash ? null : 'its content is not what was hashed';
};

const broken = ({ eventStream, revision, position }: StoredEvent, reason: string): BrokenLink => ({
  eventStream,
  revision,
  position,
  reason,
});

/** Checks the chains of all events given, in the order of the log; stops at the first broken link. */
export const verifyChain = async (
  events: Iterable<StoredEvent> | AsyncIterable<StoredEvent>,
  options?: ChainCheckOptions,
): Promise<{ ok: boolean; checked: number; firstBroken: BrokenLink | null }> => {
  const checker = new ChainChecker(options);
  let checked = 0;
  for await (const event of events) {
    checked++;
    const firstBroken = checker.check(event);
    if (firstBroken) return { ok: false, checked, firstBroken };
  }
  return { ok: true, checked, firstBroken: null };
};
