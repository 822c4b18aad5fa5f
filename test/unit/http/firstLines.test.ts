import { describe, expect, test } from 'vitest';
import { firstLines } from '../../../src/http/streams/timeline/firstLines.ts';

async function* chunksOf(...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield typeof text === 'string' ? Buffer.from(text) : text;
}
const first = async (lines: number, ...texts: (string | Uint8Array)[]): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const part of firstLines(chunksOf(...texts), lines)) parts.push(part);
  return Buffer.concat(parts).toString();
};

describe('the first lines of some data', () => {
  test.each([
    ['stop behind the last line that is wanted', 2, ['a\nb\nc\n'], 'a\nb\n'],
    ['may come in several chunks', 2, ['a', 'b\nc', 'd\ne'], 'ab\ncd\n'],
    ['may end without a newline', 5, ['a\nb'], 'a\nb'],
    ['are empty for no data', 3, [], ''],
  ])('%s', async (_, lines, texts, expected) => {
    expect(await first(lines, ...texts)).toBe(expected);
  });

  test('are at most 64 KiB, without half a character at the end', async () => {
    const text = await first(1, `x${'ș'.repeat(40_000)}`);
    expect(Buffer.byteLength(text)).toBe(65_535);
    expect(text.endsWith('ș')).toBe(true);
    expect((await first(1, 'a'.repeat(60_000), 'b'.repeat(60_000))).length).toBe(65_536);
  });

  test('of data that is not UTF-8 are cut at the limit', async () => {
    const parts: Uint8Array[] = [];
    for await (const part of firstLines(chunksOf(new Uint8Array(100_000).fill(0x80)), 1)) parts.push(part);
    expect(Buffer.concat(parts)).toHaveLength(65_536);
  });
});
