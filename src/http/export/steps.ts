import { isJsonObject } from '../../json.ts';
import { givingWay } from '../../supervision/ownTurn.ts';
import { wholeIfShort } from '../answers/list.ts';
import type { ApiResponse } from '../server/route.ts';

const PIECE_CHARACTERS = 65_536;

/** Joins small parts of a text to pieces of about 64 Ki characters. Other work goes first between them, and after each millisecond. */
export async function* inPieces(parts: Iterable<string>): AsyncGenerator<string, undefined> {
  const giveWay = givingWay();
  let piece = '';
  for (const part of parts) {
    piece += part;
    await giveWay();
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
  return undefined;
}

/** The text in pieces of some 64 Ki characters, none of which ends in half a character or in a character of `never`. */
export function* slicesOf(text: string, never = HALF): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let to = at + PIECE_CHARACTERS;
    while (to < text.length && never.test(text.charAt(to - 1))) to += 1;
    yield text.slice(at, to);
    at = to;
  }
}

/** The first half of a character that takes two code units. */
const HALF = /[\ud800-\udbff]/;

/** Like `trim`. Yields nothing from time to time: 64 MiB of spaces take a tenth of a second. */
export function* trimmed(text: string): Generator<'', string, void> {
  const isBlank = (from: number, to: number): boolean => text.slice(from, to).trimStart() === '';
  let [start, end] = [0, text.length];
  for (; start < end && isBlank(start, start + PIECE_CHARACTERS); start += PIECE_CHARACTERS) yield '';
  for (; start < end && isBlank(Math.max(start, end - PIECE_CHARACTERS), end); end -= PIECE_CHARACTERS) yield '';
  return text.slice(start, Math.max(start, end)).trim();
}

/**
 * The JSON text of a value in parts. Joined, they equal `JSON.stringify`. Its lists, its texts and the members of its objects may be long, and no item
 * of a list. A map is written as an object, and anything else that can be iterated as a list.
 */
export function* jsonParts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* textParts(value);
  else if (value instanceof Map) yield* memberParts(value);
  else if (isIterable(value)) yield* listParts(value);
  else if (isJsonObject(value)) yield* memberParts(Object.entries(value));
  else yield JSON.stringify(value) ?? 'null';
}

const isIterable = (value: unknown): value is Iterable<unknown> => typeof value === 'object' && value !== null && Symbol.iterator in value;

function* textParts(text: string): Generator<string> {
  yield '"';
  for (const slice of slicesOf(text)) yield JSON.stringify(slice).slice(1, -1);
  yield '"';
}

function* listParts(list: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const item of list) {
    yield before + (JSON.stringify(item) ?? 'null');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function* memberParts(members: Iterable<readonly [string, unknown]>): Generator<string> {
  let before = '{';
  for (const [name, member] of members) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonParts(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** Long results are sent in pieces: one `JSON.stringify` would take a second and more. */
export const answerInPieces = async (contentType: string, parts: Iterable<string>): Promise<ApiResponse> => {
  const text = await wholeIfShort(inPieces(parts));
  return typeof text === 'string' ? { status: 200, contentType, body: text } : { status: 200, contentType, chunks: text };
};
