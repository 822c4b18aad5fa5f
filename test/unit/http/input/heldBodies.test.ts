import { expect, onTestFinished, test } from 'vitest';
import { BytesInAll, BytesOfUsers } from '../../../../src/http/bytesOfUsers.ts';
import { HeldBodies } from '../../../../src/http/input/heldBodies.ts';
import { ask, CALLER, route, serve } from '../testServer.ts';

const MEBIBYTE = 1_048_576;
const TEXT = JSON.stringify('x'.repeat(MEBIBYTE - 2));

/** A server whose requests are answered when the test says so. */
const served = async () => {
  let answerAll: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  let begun = 0;
  const handle = async () => {
    begun += 1;
    await answered;
    return { status: 204 } as const;
  };
  const body = { kind: 'json', schema: { type: 'string' }, limitBytes: 2 * MEBIBYTE } as const;
  const server = await serve([route({ method: 'PUT', access: 'authenticated', body, handle })], { authenticate: async () => CALLER });
  onTestFinished(() => answerAll());
  const put = (headers: Record<string, string> = {}) =>
    ask(server, 'PUT', '/thing', { headers: { 'content-type': 'application/json', ...headers }, body: TEXT });
  return { put, answerAll: () => answerAll(), begun: () => begun };
};

test.each([
  ['that announces its length', {}],
  ['that comes in chunks', { 'transfer-encoding': 'chunked' }],
])('refuses a body %s while other requests of the user hold 8 MiB', async (_, headers: Record<string, string>) => {
  const { put, answerAll, begun } = await served();
  const first = Array.from({ length: 8 }, () => put(headers));
  await expect.poll(begun).toBe(8);
  const refused = await put(headers);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  answerAll();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(Array(8).fill(204));
  expect((await put(headers)).status).toBe(204);
});

test('leaves room for other users until all together hold too much', () => {
  const bodies = new HeldBodies({ perUser: 10, inTotal: 15 });
  const first = bodies.enter('a');
  first.add(10);
  expect(() => bodies.enter('a').add(1)).toThrow('Your open requests hold too many bytes');
  bodies.enter('b').add(5);
  expect(() => bodies.enter('b').add(1)).toThrow('of all users hold too much memory');
  first.leave();
  bodies.enter('a').add(10);
});

test('accepts the only body of a user above the limit', () => {
  const bodies = new HeldBodies({ perUser: 10, inTotal: 15 });
  const body = bodies.enter('a');
  body.add(12);
  body.add(12);
  body.leave();
  bodies.enter('b').add(15);
});

test('refuses a body with 429 if its user fills the memory with something else, and with 503 if all users do', () => {
  const all = new BytesInAll();
  const [reads, bodies] = [new BytesOfUsers(all), new HeldBodies(undefined, new BytesOfUsers(all))];
  reads.add('a', 71 * MEBIBYTE);
  expect(() => bodies.enter('a').add(2 * MEBIBYTE)).toThrow(
    expect.objectContaining({
      statusCode: 429,
      headers: { 'Retry-After': '1' },
      message: expect.stringMatching('^Your .*exports.* hold too much memory'),
    }),
  );
  bodies.enter('a').add(MEBIBYTE);
  for (const user of ['b', 'c']) reads.add(user, 60 * MEBIBYTE);
  expect(() => bodies.enter('d').add(2 * MEBIBYTE)).toThrow(
    expect.objectContaining({
      statusCode: 503,
      headers: { 'Retry-After': '2' },
      message: expect.stringMatching('of all users hold too much memory'),
    }),
  );
});
