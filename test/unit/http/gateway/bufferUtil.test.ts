import { expect, test } from 'vitest';
import { mask, unmask } from '../../../../src/http/gateway/webSocket/bufferUtil.ts';

const KEY = Uint8Array.of(1, 200, 3, 77);

const bytesAt = (offset: number, length: number): Uint8Array =>
  Uint8Array.from({ length: offset + length + 8 }, (_, n) => n * 7).subarray(offset, offset + length);

const expected = (bytes: Uint8Array): number[] => [...bytes].map((byte, n) => byte ^ (KEY[n % 4] ?? 0));

test('unmasks messages of any length, wherever they begin in memory, and changes nothing around them', () => {
  for (let offset = 0; offset < 8; offset += 1) {
    for (let length = 0; length < 70; length += 1) {
      const bytes = bytesAt(offset, length);
      const around = new Uint8Array(bytes.buffer);
      const [before, after] = [[...around.subarray(0, offset)], [...around.subarray(offset + length)]];
      const right = expected(bytes);
      unmask(bytes, KEY);
      expect([...bytes]).toEqual(right);
      expect([[...around.subarray(0, offset)], [...around.subarray(offset + length)]]).toEqual([before, after]);
    }
  }
});

test('masks into another buffer, and in place', () => {
  const source = bytesAt(1, 61);
  const output = new Uint8Array(100);
  mask(source, KEY, output, 7, 61);
  expect([...output.subarray(7, 68)]).toEqual(expected(source));
  const right = expected(source);
  mask(source, KEY, source, 0, 61);
  expect([...source]).toEqual(right);
});
