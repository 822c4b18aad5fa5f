import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { gather } from '../../../../src/http/gateway/gather.ts';
import { ManualClock } from '../../../manualClock.ts';

const OPTIONS = { clock: systemClock, limitBytes: 10, milliseconds: 1_000 };
const textOf = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString();
const restOf = async (source: PassThrough) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return textOf(pieces);
};

test('reads a small body to its end, including bytes read earlier', async () => {
  const source = new PassThrough();
  source.write('b');
  source.end('c');
  const { pieces, bytes, whole } = await gather(source, { ...OPTIONS, head: Buffer.from('a') });
  expect([textOf(pieces), bytes, whole]).toEqual(['abc', 3, true]);
});

test('stops at a larger body, and leaves the rest in the source', async () => {
  const source = new PassThrough();
  source.write('0123456789');
  source.write('!');
  const { pieces, whole } = await gather(source, OPTIONS);
  expect([textOf(pieces), whole]).toEqual(['0123456789!', false]);
  source.end('rest');
  expect(await restOf(source)).toBe('rest');
});

test('waits for the first byte, but only briefly for the rest', async () => {
  const clock = new ManualClock();
  const source = new PassThrough();
  const gathering = gather(source, { ...OPTIONS, clock });
  await clock.advance(60_000);
  source.write('a');
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(1_000);
  expect((await gathering).whole).toBe(false);
  source.end('b');
  expect(await restOf(source)).toBe('b');
});

test('reports an interrupted body as incomplete', async () => {
  const source = new PassThrough();
  const gathering = gather(source, OPTIONS);
  source.write('a');
  await new Promise((resolve) => setImmediate(resolve));
  source.destroy(new Error('gone'));
  const { pieces, whole } = await gathering;
  expect([textOf(pieces), whole]).toEqual(['a', false]);
});

test('reports an empty body as complete', async () => {
  const source = new PassThrough();
  source.end();
  expect(await gather(source, OPTIONS)).toEqual({ pieces: [], bytes: 0, whole: true });
});
