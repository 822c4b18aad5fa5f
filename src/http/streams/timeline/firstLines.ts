const MAX_BYTES = 65_536;
const NEWLINE = 0x0a;

/** The first lines of some data, at most 64 KiB. A character of UTF-8 is not cut in two. */
export async function* firstLines(chunks: AsyncIterable<Uint8Array>, lines: number): AsyncGenerator<Uint8Array> {
  let left = MAX_BYTES;
  let linesLeft = lines;
  for await (const chunk of chunks) {
    const end = lineEnd(chunk, linesLeft);
    const piece = chunk.subarray(0, end.at);
    linesLeft = end.linesLeft;
    if (piece.length > left) {
      yield piece.subarray(0, characterStart(piece, left));
      return;
    }
    yield piece;
    left -= piece.length;
    if (linesLeft === 0 || left === 0) return;
  }
}

/** The end of the last wanted line in the chunk, and the number of lines still wanted after the chunk. */
const lineEnd = (chunk: Uint8Array, lines: number): { at: number; linesLeft: number } => {
  let at = 0;
  for (let linesLeft = lines; ; linesLeft--) {
    if (linesLeft === 0) return { at, linesLeft };
    const newline = chunk.indexOf(NEWLINE, at);
    if (newline < 0) return { at: chunk.length, linesLeft };
    at = newline + 1;
  }
};

/** The start of the character at or before `at`. */
const characterStart = (bytes: Uint8Array, at: number): number => {
  let start = at;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  // In data that is not UTF-8, no character starts nearby.
  return at - start < 4 ? start : at;
};
