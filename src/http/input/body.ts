import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import { hasMoreValues } from '../../countValues.ts';
import { type Json, type JsonObject, MAX_DEPTH } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import { badRequest, tooLarge, tooSlow, unsupportedEncoding, unsupportedType } from '../errors/errors.ts';
import type { HeldMemory } from '../limits/memoryBudget.ts';
import type { Route } from '../route/route.ts';
import { JoinedPieces } from './joinedPieces.ts';
import { checkFor } from './schemas.ts';

/** Reads and checks the body of one route's requests; `undefined` for none. A raw body is left to the handler. Bytes that are read are counted as held. */
export type BodyReader = (incoming: IncomingMessage, memory: HeldMemory) => Promise<Json | undefined>;

export type BodyLimits = Pick<Limits, 'jsonMaxBytes' | 'jsonMaxValues' | 'formMaxBytes' | 'formMaxFields' | 'bodyTimeoutS'>;

/** Refusals: 413 above the limit, 415 for the wrong type, charset or encoding, 400 for a malformed or invalid body, 408. */
export const bodyReader = (body: Route['body'], limits: BodyLimits, clock: Clock): BodyReader | null => {
  if (!body) return null;
  switch (body.kind) {
    case 'json':
      return jsonReader(body, limits, clock);
    case 'form':
      return formReader(limits, clock);
    case 'raw':
      return rawReader(body.contentTypes);
  }
};

type JsonBody = Extract<Route['body'], { kind: 'json' }>;

const jsonReader = (
  { schema, required = true, limitBytes = Number.POSITIVE_INFINITY }: JsonBody,
  limits: BodyLimits,
  clock: Clock,
): BodyReader => {
  const check = checkFor(schema, 'body');
  return async (incoming, memory) => {
    if (!hasBody(incoming)) {
      if (required) throw badRequest('This operation needs a JSON body.');
      return undefined;
    }
    const { type, charset } = mediaType(incoming);
    if (!(type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) || !isUtf8(charset))
      throw unsupportedType('application/json in UTF-8');
    refuseEncoding(incoming);
    const bytes = await readWhole(incoming, {
      limitBytes: Math.min(limitBytes, limits.jsonMaxBytes),
      seconds: limits.bodyTimeoutS,
      clock,
      memory,
    });
    const value = parseJson(bytes, limits.jsonMaxValues);
    check(value, bytes.length);
    return value;
  };
};

const formReader =
  (limits: BodyLimits, clock: Clock): BodyReader =>
  async (incoming, memory) => {
    const { type, charset } = mediaType(incoming);
    if (type !== 'application/x-www-form-urlencoded' && (type !== '' || hasBody(incoming)))
      throw unsupportedType('application/x-www-form-urlencoded');
    if (!isUtf8(charset)) throw unsupportedType('application/x-www-form-urlencoded in UTF-8');
    refuseEncoding(incoming);
    const bytes = await readWhole(incoming, { limitBytes: limits.formMaxBytes, seconds: limits.bodyTimeoutS, clock, memory });
    return formFields(bytes.toString(), limits.formMaxFields);
  };

/**
 * The fields of a form by name, a repeated one as an array of its values. Reads `most` + 1 fields and ignores the rest, so that the handler can refuse a
 * longer form with its own message.
 */
export const formFields = (text: string, most: number): JsonObject => {
  const fields = new Map<string, Json>();
  // A limit for `split` keeps a form of thousands of fields from becoming thousands of strings.
  const pairs = text.split('&', most + 1).join('&');
  for (const [name, value] of new URLSearchParams(pairs)) {
    const known = fields.get(name);
    if (known === undefined) fields.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else fields.set(name, [known, value]);
  }
  return Object.fromEntries(fields);
};

/** The number of fields that `formFields` has read. */
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
  readonly seconds: number;
  readonly clock: Clock;
  readonly memory: HeldMemory;
}

/** Reads the whole body into memory. Rejects with 413 as soon as it is known to exceed the limit, 408 if it is incomplete after its time, 429 and 503 without room in memory. */
const readWhole = async (incoming: IncomingMessage, { limitBytes, seconds, clock, memory }: Reading): Promise<Buffer> => {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  // A body that announces its length is refused before it is read.
  memory.take(announced);
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
        if (announced === 0) memory.take(chunk.length);
        pieces.add(chunk);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onEnd = (): void => settle(() => resolve(pieces.whole()));
    const onBroken = (): void => settle(() => reject(badRequest('The body ended early.')));
    void clock.pause(seconds * 1_000, deadline.signal).then((pause) => {
      if (pause === 'elapsed') settle(() => reject(tooSlow()));
    });
    incoming.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
};

/**
 * Parses a caller's JSON safely: at most `maxValues` values, counted before anything is parsed, at most 64 levels deep, no infinite number (`1e999`),
 * members `__proto__` removed. Throws 400.
 */
export const parseJson = (bytes: Uint8Array, maxValues: number): Json => {
  if (hasMoreValues(bytes, maxValues)) throw badRequest(`The body has more than ${maxValues} values. Send fewer.`);
  const value = parsed(bytes);
  disarm(value, 0);
  return value;
};

const parsed = (bytes: Uint8Array): Json => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw badRequest('The body is not JSON in UTF-8.');
  }
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
