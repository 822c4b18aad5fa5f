import { hash as digest } from 'node:crypto';
import { type JsonObject, jsonObjectIn } from '../../json.ts';
import { canonicalJson } from '../canonicalJson.ts';
import type { EventText, StoredEvent } from '../eventStore.ts';

/** An event as the verification of a log needs it. */
export interface ChainLink extends Pick<StoredEvent, 'id' | 'eventStream' | 'revision' | 'position'> {
  /** The event's stored hash as hex; `null` if it has none. */
  readonly hash: string | null;
  /** Hex; `null` for the first event of an event stream. */
  readonly previousHash: string | null;
  /** Why the event differs from what was written; `null` if its hash matches. */
  readonly problem: string | null;
  /** Subject whose erasure the event records; `null` for every other event. */
  readonly erases: string | null;
}

type Hashed = Pick<StoredEvent, 'eventStream' | 'revision' | 'id' | 'type'> & {
  readonly previousHash: string | null;
  /** Canonical JSON, the metadata without its `hash`. */
  readonly data: string;
  readonly metadata: string;
};

/**
 * Hex SHA-256 over the JCS of `{eventStream, revision, previousHash, id, type, data, metadata}` as stored, the metadata without its `hash`;
 * `revision` is decimal text, as in the API.
 */
export const hashOf = ({ eventStream, revision, previousHash, id, type, data, metadata }: Hashed): string =>
  // The members are in canonical order, so that nothing has to be sorted or copied.
  digest(
    'sha256',
    `{"data":${data},"eventStream":${JSON.stringify(eventStream)},"id":${JSON.stringify(id)},"metadata":${metadata},` +
      `"previousHash":${JSON.stringify(previousHash)},"revision":"${revision}","type":${JSON.stringify(type)}}`,
  );

const CHANGED = 'its content does not match its hash';

const erasedBy = (type: string, data: JsonObject | null): string | null =>
  type === 'SubjectErased' && typeof data?.subject === 'string' ? data.subject : null;

export const linkOf = (event: StoredEvent): ChainLink => {
  const { id, eventStream, revision, position, type, metadata } = event;
  const { hash, previousHash } = metadata;
  const place = { id, eventStream, revision, position, erases: erasedBy(type, event.data) };
  if (typeof hash !== 'string' || (typeof previousHash !== 'string' && previousHash !== null))
    return { ...place, hash: null, previousHash: null, problem: 'it carries no hash' };
  const texts = { data: canonicalJson(event.data), metadata: canonicalJson(metadata, 'hash') };
  const whole = hashOf({ eventStream, revision, previousHash, id, type, ...texts }) === hash;
  return { ...place, hash, previousHash, problem: whole ? null : CHANGED };
};

/** Metadata as the codec writes them, in canonical form and without escapes: the text before the hash, the hash, and the text after it. */
const METADATA =
  /^(\{"\$causationId":"[^"\\]*","\$correlationId":"[^"\\]*","actor":"[^"\\]*",)"hash":"([0-9a-f]{64})",("previousHash":(?:null|"([0-9a-f]{64})"),"schemaVersion":\d+,"subject":"[^"\\]*","time":"[^"\\]*"\})$/;

/**
 * The link of a stored event. Text in canonical form is hashed as it stands, which proves as much as parsing it: everything after the data can be
 * read from the end in only one way, so the same text has the same parts. Other text (a log of an earlier version, escapes, an edit) is parsed and
 * brought into canonical form.
 */
export const linkOfText = (event: EventText): ChainLink => {
  const found = METADATA.exec(event.metadata);
  if (!found) return parsedLink(event);
  const [, before = '', hash = '', behind = '', previousHash = null] = found;
  const { id, eventStream, revision, position, type, data } = event;
  if (hashOf({ eventStream, revision, previousHash, id, type, data, metadata: before + behind }) !== hash) return parsedLink(event);
  const erases = type === 'SubjectErased' ? erasedBy(type, jsonObjectIn(data)) : null;
  return { id, eventStream, revision, position, hash, previousHash, erases, problem: null };
};

const parsedLink = ({ id, type, eventStream, revision, position, data, metadata }: EventText): ChainLink => {
  const parsed = { data: jsonObjectIn(data), metadata: jsonObjectIn(metadata) };
  const link = linkOf({ id, type, eventStream, revision, position, data: parsed.data ?? {}, metadata: parsed.metadata ?? {} });
  const asWritten = isWritten(data, parsed.data) && isWritten(metadata, parsed.metadata);
  return link.problem === null && !asWritten ? { ...link, problem: 'its stored text was changed' } : link;
};

/**
 * Rejects duplicate members, white space, and other spellings of numbers and texts: they have the same hash, but other readers may read them
 * differently.
 */
const isWritten = (text: string, value: JsonObject | null): boolean =>
  value !== null && (JSON.stringify(value) === text || canonicalJson(value) === text);
