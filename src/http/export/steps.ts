import { setImmediate as turn } from 'node:timers/promises';
import { isJsonObject } from '../../json.ts';

/** Number of messages or list items handled before yielding. */
export const STEP = 500;

/** Runs work that yields from time to time, with a turn of the event loop in between. */
export const inSteps = async <Result>(work: Generator<void, Result, void>): Promise<Result> => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await turn();
  }
};

/** The JSON text of a value in parts, however long its lists are. Joined, they equal `JSON.stringify`. */
export async function* jsonParts(value: unknown): AsyncGenerator<string> {
  for (const part of partsOf(value)) {
    yield part;
    await turn();
  }
}

function* partsOf(value: unknown): Generator<string> {
  if (Array.isArray(value) && value.length > STEP) yield* listParts(value);
  else if (isJsonObject(value)) yield* memberParts(value);
  else yield JSON.stringify(value) ?? 'null';
}

function* listParts(list: readonly unknown[]): Generator<string> {
  for (let from = 0; from < list.length; from += STEP) {
    const text = JSON.stringify(list.slice(from, from + STEP));
    yield `${from === 0 ? '[' : ','}${text.slice(1, -1)}`;
  }
  yield ']';
}

function* memberParts(members: object): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(members)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
