import { describe, expect, test } from 'vitest';
import { type Body, type Place, pieceOf } from '../../../src/http/server/linesOfReads.ts';

/** The places before and behind each piece, when the parts arrive one after another in the body of a request. */
const follow = (body: Body, parts: readonly string[], lines: number): { text: string; body: Body | null }[] => {
  const seen: { text: string; body: Body | null }[] = [];
  let place: Place = { lastRequest: null, body };
  for (const part of parts)
    for (let left = Buffer.from(part); left.length > 0 && place.body; ) {
      const piece = pieceOf(place, left, lines);
      seen.push({ text: left.toString('latin1', 0, piece.length), body: piece.body });
      place = { lastRequest: null, body: piece.body };
      left = left.subarray(piece.length);
    }
  return seen;
};

const CHUNKED: Body = { isChunked: true, left: 0, line: '' };
const BODY = '3\r\na\r\n\r\nA;name=value\r\n0123\r\n\r\n67\r\n1\r\n\r\r\n0\r\n';

describe('chunks', () => {
  test('are followed to the last one, wherever the reads divide them', () => {
    for (let at = 0; at <= BODY.length; at += 1) {
      const seen = follow(CHUNKED, [BODY.slice(0, at), `${BODY.slice(at)}\r\nGET `], 256);
      expect(seen.map(({ text }) => text).join('')).toBe(BODY);
      expect(seen.at(-1)?.body).toBeNull();
    }
  });

  test('are divided by the number of their lines, wherever they stand', () => {
    const seen = follow(CHUNKED, [`${'1\r\n\n\r\n'.repeat(10)}0\r\n`], 8);
    expect(seen.map(({ text }) => text.length)).toEqual([21, 24, 18]);
  });

  test('are not followed any further if a size is endless', () => {
    const [first, second] = follow(CHUNKED, ['0'.repeat(1_000), '0'.repeat(1_000)], 256);
    expect(first?.body?.line).toHaveLength(1_000);
    expect(second?.body).toBeNull();
  });

  test('are dense if they have more lines than that', () => {
    const place: Place = { lastRequest: null, body: CHUNKED };
    expect(pieceOf(place, Buffer.from('1\r\nx\r\n'.repeat(129)), 256).isDense).toBe(true);
    expect(pieceOf(place, Buffer.from(`400\r\n${'\r\n'.repeat(512)}\r\n`), 256)).toMatchObject({ isDense: false, length: 1_031 });
  });
});

test('a body of a known length is one piece, whatever its lines', () => {
  const seen = follow({ isChunked: false, left: 6, line: '' }, ['\r\n\r\n', '\r\nGET '], 2);
  expect(seen).toEqual([
    { text: '\r\n\r\n', body: { isChunked: false, left: 2, line: '' } },
    { text: '\r\n', body: null },
  ]);
});

describe('headers', () => {
  const place: Place = { lastRequest: null, body: null };
  const head = (line: string): string => `POST / HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`;

  test.each([
    ['with chunks behind them are a piece of their own', 'Transfer-Encoding: chunked', '3\r\nabc\r\n', true],
    ['with many lines of a body of a known length behind them are a piece of their own', 'content-length: 900', '\r\n'.repeat(450), true],
    ['with few such lines are not', 'content-length: 3', 'abc', false],
    ['without a body are not', 'Accept: a', 'GET ', false],
  ])('%s', (_, line, behind, isHead) => {
    const bytes = Buffer.from(head(line) + behind);
    expect(pieceOf(place, bytes, 256)).toEqual({ length: isHead ? head(line).length : bytes.length, isDense: false, isHead, body: null });
  });
});
