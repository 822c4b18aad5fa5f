import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import { hasMoreValues, MAX_VALUES, ValueCounter } from '../../countValues.ts';
import { type Json, type JsonObject, MAX_DEPTH } from '../../json.ts';
import { ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import { badRequest, tooLarge, tooSlow, unsupportedEncoding, unsupportedType } from '../server/errors.ts';
import type { Route } from '../server/route.ts';
import type { HeldBody } from './heldBodies.ts';
import { JoinedPieces } from './joinedPieces.ts';
import { type Check, checkFor } from './schemas.ts';

const DEFAULT_LIMIT_BYTES = 1_048_576;
const FORM_LIMIT_BYTES = 8_192;
/** Most fields of a form. The reader keeps one more, so that the handler can refuse a longer form with its own message. */
export const MAX_FORM_FIELDS = 20;
// A body held in memory must be complete by then.
const WHOLE_BODY_MILLISECONDS = 30_000;

/** Reads and checks the body of one route's requests; `undefined` for none. A raw body is left to the handler. Bytes that are read are counted as held. */
export type BodyReader = (incoming: IncomingMessage, held: HeldBody | null) => Promise<Json | undefined>;

/** Refusals: 413 above the limit, 415 for the wrong type, charset or encoding, 400 for a malformed or invalid body, 408. */
export const bodyReader = (body: Route['body'], clock: Clock): BodyReader | null => {
  if (!body) return null;
  switch (body.kind) {
    case 'json':
      return jsonReader(checkFor(body.schema, 'body'), body.required ?? true, body.limitBytes ?? DEFAULT_LIMIT_BYTES, clock);
    case 'form':
      return formReader(clock);
    case 'raw':
      return rawReader(body.contentTypes);
  }
};

const jsonReader =
  (check: Check, required: boolean, limitBytes: number, clock: Clock): BodyReader =>
  async (incoming, held) => {
    if (!hasBody(incoming)) {
      if (required) throw badRequest('This operation needs a JSON body.');
      return undefined;
    }
    const { type, charset } = mediaType(incoming);
    if (!(type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) || !isUtf8(charset))
      throw unsupportedType('application/json in UTF-8');
    refuseEncoding(incoming);
    const bytes = await readWhole(incoming, { limitBytes, clock, held });
    const isLarge = bytes.length > SMALL_STEP_BYTES;
    if (isLarge) await ownTurn();
    const value = parseJson(bytes);
    check(value, bytes.length);
    // What the handler does with a large body takes as long again.
    if (isLarge) await ownTurn();
    return value;
  };

const formReader =
  (clock: Clock): BodyReader =>
  async (incoming, held) => {
    const { type, charset } = mediaType(incoming);
    if (type !== 'application/x-www-form-urlencoded' && (type !== '' || hasBody(incoming)))
      throw unsupportedType('application/x-www-form-urlencoded');
    if (!isUtf8(charset)) throw unsupportedType('application/x-www-form-urlencoded in UTF-8');
    refuseEncoding(incoming);
    return formFields((await readWhole(incoming, { limitBytes: FORM_LIMIT_BYTES, clock, held })).toString());
  };

/**
 * The fields of a form by name, a repeated one as an array of its values. Reads `MAX_FORM_FIELDS` + 1 fields and ignores the rest: each field
 * is handled once, so the work never exceeds the length of the text.
 */
export const formFields = (text: string): JsonObject => {
  const fields = new Map<string, Json>();
  // A limit for `split` keeps a form of thousands of fields from becoming thousands of strings.
  const pairs = text.split('&', MAX_FORM_FIELDS + 1).join('&');
  for (const [name, value] of new URLSearchParams(pairs)) {
    const known = fields.get(name);
    if (known === undefined) fields.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else fields.set(name, [known, value]);
  }
  return Object.fromEntries(fields);
};

/** The number of fields of a form that `formFields` has read: more than `MAX_FORM_FIELDS` is too many. */
export const fieldCount = (form: JsonObject): number =>
  Object.values(form).reduce<number>((count, value) => count + (Array.isArray(value) ? value.length : 1), 0);

const rawReader =
  (contentTypes: readonly string[]): BodyReader =>
  async (incoming) => {
    const { type } = mediaType(incoming);
    if (!contentTypes.some((accepted) => accepted === '*/*' || accepted === type)) throw unsupportedType(contentTypes.join(' or '));
    refuseEncoding(incoming);
    return undefined;
  };

/** Whether a body has been announced. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');

const mediaType = ({ headers }: IncomingMessage): { type: string; charset: string } => {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return { type: type.trim(), charset: charset?.slice('charset='.length).replaceAll('"', '') ?? 'utf-8' };
};

const isUtf8 = (charset: string): boolean => charset === 'utf-8' || charset === 'utf8';

const refuseEncoding = ({ headers }: IncomingMessage): void => {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') throw unsupportedEncoding();
};

interface Reading {
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly held: HeldBody | null;
}

/** Reads the whole body into memory. Rejects with 413 as soon as it is known to exceed the limit, 408 if it is incomplete after 30 s, 429 and 503 as `held` does. */
const readWhole = async (incoming: IncomingMessage, { limitBytes, clock, held }: Reading): Promise<Buffer> => {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  // A body that announces its length is refused before it is read.
  held?.add(announced);
  return new Promise((resolve, reject) => {
    const pieces = new JoinedPieces();
    const deadline = new AbortController();
    const settle = (outcome: () => void): void => {
      deadline.abort();
      incoming.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      outcome();
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (pieces.bytes + chunk.length > limitBytes) throw tooLarge(limitBytes);
        if (announced === 0) held?.add(chunk.length);
        pieces.add(chunk);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onEnd = (): void => settle(() => resolve(pieces.whole()));
    const onBroken = (): void => settle(() => reject(badRequest('The body ended early.')));
    void clock.pause(WHOLE_BODY_MILLISECONDS, deadline.signal).then((pause) => {
      if (pause === 'elapsed') settle(() => reject(tooSlow()));
    });
    incoming.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
};

/**
 * Parses a caller's JSON safely: at most `maxValues` members and items, counted before anything is parsed, at most 64 levels deep, no infinite
 * number (`1e999`), members `__proto__` removed. Throws 400.
 */
export const parseJson = (bytes: Uint8Array, maxValues = MAX_VALUES): Json => {
  if (hasMoreValues(bytes, maxValues)) throw tooManyValues(maxValues);
  return parsed(decoded(bytes));
};

/** Bytes counted in one turn: about five milliseconds. */
const COUNTED_BYTES = 2_097_152;

/** A received message. It releases its bytes when they are decoded: a large message waits for turns of the event loop while its text is in memory too. */
export class ReceivedMessage {
  readonly length: number;
  #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  piece(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }

  /** Returns the bytes and releases them. Call it once. */
  take(): Uint8Array {
    const bytes = this.#bytes;
    this.#bytes = new Uint8Array();
    return bytes;
  }
}

/** The same for many bytes: counting, decoding and parsing take turns of the event loop of their own. */
export const parseLargeJson = async (message: ReceivedMessage, maxValues: number): Promise<Json> => {
  const counter = new ValueCounter(maxValues);
  for (let from = 0; from < message.length; from += COUNTED_BYTES) {
    await ownTurn();
    if (counter.read(message.piece(from, from + COUNTED_BYTES))) throw tooManyValues(maxValues);
  }
  await ownTurn();
  const text = decoded(message.take());
  await ownTurn();
  return parsed(text);
};

const tooManyValues = (most: number) => badRequest(`The body has more than ${most} members and items. Send fewer.`);

const notJson = () => badRequest('The body is not JSON in UTF-8.');

const decoded = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notJson();
  }
};

const parsed = (text: string): Json => {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson();
  }
  disarm(value, 0);
  return value;
};

const disarm = (value: Json, depth: number): void => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw badRequest('The body contains a number that is too large.');
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) throw badRequest(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (!Array.isArray(value)) dropPrototype(value);
  for (const member of Object.values(value)) disarm(member, depth + 1);
};

const dropPrototype = (value: JsonObject): void => {
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
};
