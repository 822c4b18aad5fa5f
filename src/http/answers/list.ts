import { END, Items } from '../../supervision/items.ts';
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
export const listJson = (list: List): Promise<string | Items<string>> => wholeIfShort(piecesOf(list));

/** A short text as a whole, a long one in its pieces, which are made as the reader takes them. */
export const wholeIfShort = async (pieces: AsyncIterator<string, undefined>): Promise<string | Items<string>> => {
  let text = '';
  while (text.length <= WHOLE_CHARACTERS) {
    const { done, value } = await pieces.next();
    if (done) return text;
    text += value;
  }
  return continued(text, pieces);
};

const continued = (begun: string, rest: AsyncIterator<string, undefined>): Items<string> => {
  const texts = [begun];
  const next = async (): Promise<IteratorResult<string, undefined>> => {
    const text = texts.pop();
    return text === undefined ? rest.next() : { done: false, value: text };
  };
  return new Items(next, () => rest.return?.());
};

/** Groups small items; a large item gets a piece and a turn of the event loop of its own. */
const piecesOf = (list: List): Items<string> => {
  const items = itemsOf(list);
  const { before, after } = aroundItems(list);
  let text = before;
  let comma = '';
  let wasLarge = false;
  let isOver = false;
  const next = async (): Promise<IteratorResult<string, undefined> | null> => {
    if (isOver) return END;
    if (wasLarge) await ownTurn();
    const { done, value } = await items.next();
    isOver = done === true;
    text += done ? after : `${comma}${value}`;
    comma = ',';
    wasLarge = text.length > SMALL_STEP_BYTES;
    if (!isOver && !wasLarge) return null;
    const piece = text;
    text = '';
    return { done: false, value: piece };
  };
  return new Items(next, () => items.return?.());
};

/** The JSON of a list before and after its items. */
const aroundItems = (list: List): { readonly before: string; readonly after: string } => {
  const members = Object.entries(list);
  const at = members.findIndex(([name]) => name === 'content');
  const [head, tail] = [members.slice(0, at), members.slice(at + 1)].map((some) => JSON.stringify(Object.fromEntries(some)).slice(1, -1));
  return { before: `{${head}${head ? ',' : ''}"content":[`, after: `]${tail ? ',' : ''}${tail}}` };
};

const itemsOf = ({ content }: List): Iterator<string, void, undefined> | AsyncIterator<string, void, undefined> =>
  Array.isArray(content) ? jsonOf(content) : (content as AsyncIterable<string>)[Symbol.asyncIterator]();

function* jsonOf(items: readonly unknown[]): Generator<string, void, undefined> {
  for (const item of items) yield JSON.stringify(item) ?? 'null';
}
