export class LineTooLong extends Error {}

/** The non-empty lines of a byte stream, trimmed, as they arrive. Throws `LineTooLong` if one has more than `most` bytes. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string, void, undefined> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const taken = (last: Uint8Array): string => {
    const line = Buffer.concat([...pieces, last])
      .toString('utf8')
      .trim();
    pieces = [];
    size = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      if (size + end - from > most) throw new LineTooLong();
      const line = taken(chunk.subarray(from, end));
      from = end + 1;
      if (line !== '') yield line;
    }
    if (from === chunk.length) continue;
    pieces.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > most) throw new LineTooLong();
  }
  const rest = taken(new Uint8Array());
  if (rest !== '') yield rest;
}
