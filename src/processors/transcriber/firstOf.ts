/** The first piece that is not empty, and the source after it; `null` if there is none. */
export const firstOf = async (bytes: AsyncIterable<Uint8Array>): Promise<{ first: Uint8Array; rest: AsyncIterator<Uint8Array> } | null> => {
  const rest = bytes[Symbol.asyncIterator]();
  let first = await rest.next();
  while (!first.done && first.value.byteLength === 0) first = await rest.next();
  return first.done ? null : { first: first.value, rest };
};

/** Pieces before and after the rest of a source. One generator: it closes the source even if the reader stops at the first piece. */
export async function* around(
  before: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  after: readonly Uint8Array[] = [],
): AsyncGenerator<Uint8Array> {
  try {
    yield* before;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
    yield* after;
  } finally {
    await rest.return?.();
  }
}
