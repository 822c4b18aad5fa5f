import { describe, expect, test } from 'vitest';
import { LineTooLong, linesOf } from '../../src/lines.ts';

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const all = async (...texts: readonly string[]): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of linesOf(chunksOf(...texts), 1_048_576)) lines.push(line);
  return lines;
};

describe('lines of a stream', () => {
  test('are yielded without line feeds and empty lines, wherever the chunks are cut', async () => {
    expect(await all('{"a"', ':1}\n\n', '\r\n{"b":2}\n{"c', '":3}')).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  });

  test('have at most the given bytes', async () => {
    await expect(all('x'.repeat(1_048_576), 'x\n')).rejects.toThrow(LineTooLong);
  });
});
