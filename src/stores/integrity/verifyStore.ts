import type { KeyObject } from 'node:crypto';
import { DamagedEventStream, type EventStore, type Hiding, type Position, type StoredEvent } from '../eventStore.ts';
import type { Keys } from '../keys/openKeys.ts';
import { VaultLocked } from '../keys/vault.ts';
import { chainPages, sealsOf } from '../log/logPages.ts';
import { isOwnEventStream } from '../log/ownEventStreams.ts';
import { eventStreamPages, findBackwards } from '../pages.ts';
import { type BrokenLink, verifyChain } from './hashChain.ts';
import { sealFault } from './sealEvidence.ts';
import { mayExpire, NEWEST_SEAL, type PublicKeys, readSeal, SEALS } from './seals.ts';
import { type NotedSeal, type Verdict, type VerifyOptions, verifyLog } from './verification.ts';

export interface VerifyDeps {
  readonly store: EventStore;
  readonly keys: Pick<Keys, 'acceptedKeys' | 'note' | 'isErased'>;
}

const sealKeys = async (keys: VerifyDeps['keys']): Promise<ReadonlyMap<string, KeyObject>> =>
  new Map((await keys.acceptedKeys('seal')).map(({ kid, publicKey }) => [kid, publicKey]));

const notedSeal = async (keys: VerifyDeps['keys']): Promise<NotedSeal | null> => {
  const note = await keys.note(NEWEST_SEAL);
  return typeof note?.revision === 'string' ? { revision: BigInt(note.revision), data: note.seal } : null;
};

/** Verifies the whole log as of now: chains, seals, and the vault's newest seal. */
export const verifyStore = async (
  { store, keys }: VerifyDeps,
  onProgress?: VerifyOptions['onProgress'],
  pause?: VerifyOptions['pause'],
): Promise<Verdict> => {
  const fault = await sealFault({ store, keys });
  if (fault !== null) return unvouched(fault);
  // In this order, so that nothing known from elsewhere is newer than the events read.
  const noted = await notedSeal(keys);
  const head = await store.head();
  const verdict = await verifyLog(chainPages(store, head), {
    seals: sealsOf(store, head),
    keys: await sealKeys(keys),
    noted,
    isErased: async (subject) => isMarkedErased(keys, subject),
    ...(onProgress && { onProgress }),
    ...(pause && { pause }),
  });
  const hidden = await hiddenEventStreams(store);
  const firstBroken = verdict.firstBroken ?? hidden[0] ?? null;
  const notes = [
    ...verdict.notes,
    ...(verdict.ok || verdict.sealed !== null ? [] : await sealNotes(store, head)),
    ...hiddenNotes(hidden.filter((one) => one !== firstBroken)),
    ...(await store.rightsWarnings()),
  ];
  return { ...verdict, ok: firstBroken === null, firstBroken, notes };
};

/** Also `false` for a marker that was changed. */
const isMarkedErased = async (keys: VerifyDeps['keys'], subject: string): Promise<boolean> => {
  try {
    return await keys.isErased(subject);
  } catch (error) {
    if (error instanceof VaultLocked) return false;
    throw error;
  }
};

const unvouched = (reason: string): Verdict => ({
  ok: false,
  checked: 0,
  sealed: null,
  firstBroken: { eventStream: SEALS, revision: 0n, position: '', reason },
  notes: [],
});

const HIDES: Readonly<Record<Exclude<Hiding['hides'], 'nothing'>, string>> = {
  all: 'the event stream was deleted in the event store, which hides its events',
  first: 'metadata in the event store hide its first events ($tb or $maxCount)',
  old: 'metadata in the event store hide its old events ($maxAge)',
};

/** The event streams of this platform with events that the store hides although they must be visible. Deliveries may expire. */
const hiddenEventStreams = async (store: EventStore): Promise<BrokenLink[]> => {
  const found = new Map<string, BrokenLink>();
  for (const { eventStream, position, hides } of await store.hidings()) {
    const allowed = hides === 'nothing' || (hides === 'old' && mayExpire(eventStream)) || !isOwnEventStream(eventStream);
    if (allowed) found.delete(eventStream);
    else if (!found.has(eventStream)) found.set(eventStream, { eventStream, revision: 0n, position, reason: HIDES[hides] });
  }
  return [...found.values()];
};

/** Named in a verdict at most. */
const NAMED = 20;

const hiddenNotes = (hidden: readonly BrokenLink[]): string[] => {
  const notes = hidden.slice(0, NAMED).map(({ eventStream, reason }) => `In ${eventStream}, ${reason}.`);
  const others = hidden.length - notes.length;
  return others > 0 ? [...notes, `The event store hides events of ${others} more event streams.`] : notes;
};

/** What the seals of a log cover if its first sealed part is broken. */
const sealNotes = async (store: EventStore, head: Position | null): Promise<string[]> => {
  let [seals, events, last] = [0, 0, ''];
  for await (const { data } of sealsOf(store, head)) {
    seals += 1;
    events += Number(data.count) || 0;
    last = String(data.lastEventId);
  }
  if (seals === 0) return [];
  return [`The log has ${seals} seals, which cover ${events} events up to the event ${last}. The break lies in the first sealed part.`];
};

/**
 * Verifies one event stream: its chain, and its last revision against the seals. `null` if neither log nor seals know it. `pause` is awaited after
 * every few events and after each seal.
 */
export const verifyEventStream = async (deps: VerifyDeps, eventStream: string, pause?: VerifyOptions['pause']): Promise<Verdict | null> => {
  try {
    return isOwnEventStream(eventStream) ? await verifyOwn(deps, eventStream, pause) : await verifyForeign(deps, eventStream);
  } catch (error) {
    if (!(error instanceof DamagedEventStream)) throw error;
    const firstBroken = { eventStream, revision: 0n, position: '', reason: error.reason };
    return { ok: false, checked: 0, sealed: null, firstBroken, notes: [] };
  }
};

const verifyForeign = async ({ store }: VerifyDeps, eventStream: string): Promise<Verdict | null> => {
  const [first] = await store.readStream(eventStream, { limit: 1 });
  const notes = [`${eventStream} is not an event stream of this platform. It cannot be verified.`];
  return first ? { ok: true, checked: 0, sealed: null, firstBroken: null, notes } : null;
};

const verifyOwn = async ({ store, keys }: VerifyDeps, eventStream: string, pause: VerifyOptions['pause']): Promise<Verdict | null> => {
  const fault = await sealFault({ store, keys });
  if (fault !== null) return unvouched(fault);
  const publicKeys = await sealKeys(keys);
  const noted = await notedSeal(keys);
  const head = await store.head();
  const seen: { last: StoredEvent | null } = { last: null };
  const { checked, firstBroken } = await verifyChain(eventsOf(store, eventStream, seen), pause);
  const { named, position, sealed } = await newestNaming(store, head, { eventStream, keys: publicKeys, noted, pause });
  const { last } = seen;
  if (last === null && named === null) return null;
  const cut = named !== null && named > (last?.revision ?? -1n) ? cutOff(eventStream, last, named, position) : null;
  const broken = firstBroken ?? cut;
  return { ok: broken === null, checked, sealed, firstBroken: broken, notes: [] };
};

/** An event may take 1 MiB of memory. */
const PAGE = 10;

/** Reads page by page, since some event streams grow without bound. `seen` is the last event. */
async function* eventsOf(
  store: EventStore,
  eventStream: string,
  seen: { last: StoredEvent | null },
): AsyncGenerator<StoredEvent, void, undefined> {
  for await (const page of eventStreamPages(store, eventStream, PAGE))
    for (const event of page) {
      seen.last = event;
      yield event;
    }
}

const cutOff = (eventStream: string, last: StoredEvent | null, named: bigint, position: Position | null): BrokenLink => ({
  eventStream,
  revision: (last?.revision ?? -1n) + 1n,
  position: last?.position ?? position ?? '',
  reason: last
    ? `revision ${last.revision + 1n} is missing: ${named} is sealed`
    : `the whole event stream is gone: revision ${named} is sealed`,
});

/**
 * The newest revision of an event stream according to a seal (for the seals themselves: according to the vault), where that seal is, and how far the
 * seals reach.
 */
const newestNaming = async (
  store: EventStore,
  head: Position | null,
  { eventStream, keys, noted, pause }: { eventStream: string; keys: PublicKeys; noted: NotedSeal | null; pause: VerifyOptions['pause'] },
) => {
  let named: bigint | null = null;
  let position: Position | null = null;
  let newest: StoredEvent | null = null;
  const look = (data: unknown, at: Position | null) => {
    const { seal } = readSeal(data, keys);
    const revision = seal && Object.hasOwn(seal.heads, eventStream) ? seal.heads[eventStream] : undefined;
    if (revision !== undefined) [named, position] = [BigInt(revision), at];
  };
  for await (const event of sealsOf(store, head)) {
    look(event.data, event.position);
    newest = event;
    await pause?.();
  }
  if (noted && noted.revision > (newest?.revision ?? -1n)) look(noted.data, position);
  if (noted && eventStream === SEALS) named = noted.revision;
  // Assigned in the closure, which the compiler does not track.
  const found: { named: bigint | null; position: Position | null } = { named, position };
  return { ...found, sealed: newest ? await positionOf(store, newest) : null };
};

/** Of the last event that a seal covers, which is shortly before the seal. */
const positionOf = async (store: EventStore, { position, data }: StoredEvent): Promise<Position | null> =>
  (await findBackwards(store, position, ({ id }) => id === data.lastEventId))?.position ?? null;

/** An export of the seals: one line per public key, then one line per event of `seals`, as stored. */
export async function* exportSeals({ store, keys }: VerifyDeps): AsyncGenerator<object, void, undefined> {
  for (const [keyId, publicKey] of await sealKeys(keys)) {
    yield { keyId, algorithm: 'ES256', publicKey: publicKey.export({ format: 'pem', type: 'spki' }) };
  }
  for await (const { revision, ...event } of sealsOf(store, await store.head())) yield { ...event, revision: String(revision) };
}

/** The newest seal, to be kept elsewhere. Times are ISO 8601. */
interface SealNote {
  readonly revision: string;
  readonly position: Position;
  readonly hash: string | null;
  readonly lastEventId: string;
  readonly keyId: string;
  readonly signature: string;
  readonly time: string | null;
}

/** The newest seal of the log; `null` before the first. Its signature is not checked here, but by `verify`. */
export const newestSeal = async (store: Pick<EventStore, 'readStream'>): Promise<SealNote | null> => {
  const [event] = await store.readStream(SEALS, { direction: 'backwards', limit: 1 });
  if (!event) return null;
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const { data, metadata, revision, position } = event;
  return {
    revision: String(revision),
    position,
    hash: textOf(metadata.hash),
    lastEventId: textOf(data.lastEventId) ?? '',
    keyId: textOf(data.keyId) ?? '',
    signature: textOf(data.signature) ?? '',
    time: textOf(metadata.time),
  };
};
