import { ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';

/** A page, or a list with a cursor. Its items are in `content`, as values or as JSON texts that are made one after another. */
interface List {
  readonly content: readonly unknown[] | AsyncIterable<string>;
}

/** Shorter JSON is sent at once; longer JSON is written at the reader's pace. */
const WHOLE_CHARACTERS = 262_144;

export const isList = (body: unknown): body is List =>
  typeof body === 'object' && body !== null && 'content' in body && (Array.isArray(body.content) || isAsyncIterable(body.content));

const isAsyncIterable = (value: unknown): boolean => typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** The JSON of a list: a short one as text, a long one in pieces that are made as the reader takes them. */
export const listJson = (list: List): Promise<string | AsyncGenerator<string, void, undefined>> => wholeIfShort(piecesOf(list));

/** A short text as a whole, a long one in its pieces, which are made as the reader takes them. */
export const wholeIfShort = async (
  pieces: AsyncGenerator<string, void, undefined>,
): Promise<string | AsyncGenerator<string, void, undefined>> => {
  let text = '';
  while (text.length <= WHOLE_CHARACTERS) {
    const { done, value } = await pieces.next();
    if (done) return text;
    text += value;
  }
  return continued([text], pieces);
};

/** Takes the texts out of `begun`, so that they are let go once they are read. */
async function* continued(begun: string[], rest: AsyncGenerator<string, void, undefined>): AsyncGenerator<string, void, undefined> {
  for (let text = begun.shift(); text !== undefined; text = begun.shift()) yield text;
  yield* rest;
}

/** Groups small items; a large item gets a piece and a turn of the event loop of its own. */
async function* piecesOf(list: List): AsyncGenerator<string, void, undefined> {
  let text = '';
  let separator = '{';
  for (const [name, value] of Object.entries(list)) {
    if (name !== 'content') {
      const json = JSON.stringify(value);
      if (json === undefined) continue;
      text += `${separator}${JSON.stringify(name)}:${json}`;
    } else {
      text += `${separator}"content":[`;
      let comma = '';
      for await (const item of itemsOf(list)) {
        text += `${comma}${item}`;
        comma = ',';
        if (text.length <= SMALL_STEP_BYTES) continue;
        yield text;
        text = '';
        await ownTurn();
      }
      text += ']';
    }
    separator = ',';
  }
  yield `${text}${separator === '{' ? '{' : ''}}`;
}

const itemsOf = ({ content }: List): Iterable<string> | AsyncIterable<string> =>
  Array.isArray(content) ? jsonOf(content) : (content as AsyncIterable<string>);

function* jsonOf(items: readonly unknown[]): Generator<string, void, undefined> {
  for (const item of items) yield JSON.stringify(item) ?? 'null';
}
