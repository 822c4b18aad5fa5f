import { setImmediate } from 'node:timers/promises';

/** A page, or a list with a cursor. Its items are in `content`, or are loaded one after another. */
interface List {
  readonly content: readonly unknown[] | AsyncIterable<unknown>;
}

/** Shorter JSON is sent at once; longer JSON is written at the reader's pace. */
const WHOLE_CHARACTERS = 262_144;
const PIECE_CHARACTERS = 16_384;

export const isList = (body: unknown): body is List =>
  typeof body === 'object' && body !== null && 'content' in body && (Array.isArray(body.content) || isAsyncIterable(body.content));

const isAsyncIterable = (value: unknown): boolean => typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** The JSON of a list: a short one as text, a long one in pieces that are made as the reader takes them. */
export const listJson = async (list: List): Promise<string | AsyncIterable<string>> => {
  const pieces = piecesOf(list);
  let text = '';
  while (text.length <= WHOLE_CHARACTERS) {
    const { done, value } = await pieces.next();
    if (done) return text;
    text += value;
  }
  return continued(text, pieces);
};

async function* continued(begun: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield begun;
  yield* rest;
}

async function* piecesOf(list: List): AsyncGenerator<string, void, undefined> {
  const { before, after } = aroundItems(list);
  let text = before;
  let comma = '';
  for await (const item of list.content) {
    text += comma + (JSON.stringify(item) ?? 'null');
    comma = ',';
    if (text.length < PIECE_CHARACTERS) continue;
    yield text;
    text = '';
    // Between the pieces of a long list, requests of others are served.
    await setImmediate();
  }
  yield text + after;
}

/** The JSON of a list before and after its items. */
const aroundItems = (list: List): { readonly before: string; readonly after: string } => {
  const members = Object.entries(list);
  const at = members.findIndex(([name]) => name === 'content');
  const [head, tail] = [members.slice(0, at), members.slice(at + 1)].map((some) => JSON.stringify(Object.fromEntries(some)).slice(1, -1));
  return { before: `{${head}${head ? ',' : ''}"content":[`, after: `]${tail ? ',' : ''}${tail}}` };
};
