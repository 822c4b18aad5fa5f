import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS as DECLARED_LIMITS } from '../../../src/domain/processorDeclarations/declaration.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { readAnswer } from '../../../src/processors/declared/answer.ts';
import type { HttpRun } from '../../../src/processors/declared/httpRun.ts';
import { type FrameBytes, piecesOf } from '../../../src/stores/topics.ts';

test('raw output that arrives in chunks of one byte is taken in few pieces', async () => {
  const bytes = 100_000;
  const body = new Readable({ highWaterMark: 262_144, read: () => {} });
  for (let sent = 0; sent < bytes; sent += 1) body.push('a');
  body.push(null);
  const pieces: Uint8Array[] = [];
  const run = {
    declaration: { name: 'tiny', outputSchema: 'bytes', limits: DECLARED_LIMITS },
    signal: new AbortController().signal,
    bytes: async (frame: FrameBytes) => void pieces.push(...piecesOf(frame)),
  };
  await readAnswer(run as unknown as HttpRun, 'application/octet-stream', body, DEFAULT_LIMITS);
  expect(Buffer.concat(pieces).toString()).toBe('a'.repeat(bytes));
  expect(pieces.length).toBeLessThan(100);
});
