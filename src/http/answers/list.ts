import { ownTurn, SMALL_STEP_BYTES } from './ownTurn.ts';

/** A page, or a list with a cursor: its items stand in `content`. */
interface List {
  readonly content: readonly unknown[];
}

/** JSON up to this length is answered as a whole; anything longer is written as the reader takes it. */
const WHOLE_CHARACTERS = 262_144;

export const isList = (body: unknown): body is List =>
  typeof body === 'object' && body !== null && 'content' in body && Array.isArray(body.content);

/** The JSON of a list: text when it is short, else its pieces, each of which is made when the one before has been taken. */
export const listJson = async (list: List): Promise<string | AsyncGenerator<string, void, undefined>> => {
  const pieces = piecesOf(list);
  let text = '';
  while (text.length <= WHOLE_CHARACTERS) {
    const { done, value } = await pieces.next();
    if (done) return text;
    text += value;
  }
  return continued(text, pieces);
};

async function* continued(begun: string, rest: AsyncGenerator<string, void, undefined>): AsyncGenerator<string, void, undefined> {
  yield begun;
  yield* rest;
}

/** Small items together, a large one by itself and in a turn of its own. */
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
      for (const [index, item] of list.content.entries()) {
        text += `${index === 0 ? '' : ','}${JSON.stringify(item) ?? 'null'}`;
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
