import { expect, test } from 'vitest';
import { JoinedPieces } from '../../../src/http/input/joinedPieces.ts';

test('pieces of one byte are joined', () => {
  const pieces = new JoinedPieces();
  for (let at = 0; at < 1_000; at += 1) pieces.add(Buffer.from([at % 256]));
  expect(pieces.bytes).toBe(1_000);
  expect(pieces.whole()).toEqual(Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256)));
});
