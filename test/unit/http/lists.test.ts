import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BytesInFlight } from '../../../src/http/answers/bytesInFlight.ts';
import { listJson } from '../../../src/http/answers/list.ts';
import type { HttpServer } from '../../../src/http/server/server.ts';
import { eventually } from '../../eventually.ts';
import { ask, route, serve } from './testServer.ts';

const whole = async (list: { content: readonly unknown[] }): Promise<{ text: string; pieces: number }> => {
  const json = await listJson(list);
  if (typeof json === 'string') return { text: json, pieces: 1 };
  const pieces: string[] = [];
  for await (const piece of json) pieces.push(piece);
  return { text: pieces.join(''), pieces: pieces.length };
};

const item = (index: number, length: number) => ({ index, text: 'ă'.repeat(length) });

describe('the JSON of a list', () => {
  test('equals JSON.stringify for any value', async () => {
    const list = fc.record(
      { totalPages: fc.integer(), content: fc.array(fc.jsonValue()), next: fc.option(fc.string()), absent: fc.constant(undefined) },
      { requiredKeys: ['content'] },
    );
    await fc.assert(
      fc.asyncProperty(list, async (one) => {
        expect((await whole(one)).text).toBe(JSON.stringify(one));
      }),
    );
  });

  test('comes in pieces of one item if it is long', async () => {
    const list = { first: true, content: Array.from({ length: 20 }, (_, index) => item(index, 50_000)), last: true };
    const { text, pieces } = await whole(list);
    expect(text).toBe(JSON.stringify(list));
    expect(pieces).toBeGreaterThan(10);
  });
});

const PAGE = { content: Array.from({ length: 200 }, (_, index) => item(index, 100_000)) };
const LISTS = [route({ path: '/lists', access: 'authenticated', handle: async () => ({ status: 200, body: PAGE }) })];

/** An answer that has begun and is not read. */
const unread = async ({ port }: HttpServer): Promise<IncomingMessage> => {
  const request = get({ port, path: '/lists', agent: false });
  request.on('error', () => {});
  onTestFinished(() => void request.destroy());
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return answer;
};

test('delivers a long list in full', async () => {
  expect((await ask(await serve(LISTS), 'GET', '/lists')).body).toEqual(PAGE);
});

test('refuses reads of a user with too many unread bytes with 503 until they are read', async () => {
  const server = await serve(LISTS, { bytesInFlight: { perUser: 100_000, inTotal: 10_000_000 } });
  const answer = await unread(server);
  const refused = await eventually(async () => {
    const request = get({ port: server.port, path: '/lists', agent: false });
    const [other] = (await once(request, 'response')) as [IncomingMessage];
    other.on('error', () => {});
    const { statusCode, headers } = other;
    request.destroy();
    return statusCode === 503 && headers;
  });
  expect(refused['retry-after']).toBe('2');
  answer.resume();
  await once(answer, 'end');
  await eventually(async () => (await ask(server, 'GET', '/lists')).status === 200);
});

test('limits unread bytes for each user and for all together', () => {
  const unreadBytes = new BytesInFlight({ perUser: 10, inTotal: 25 });
  unreadBytes.wait('a', 10);
  expect(() => unreadBytes.check('a')).toThrow('Your requests, answers');
  expect(() => unreadBytes.check('b')).not.toThrow();
  unreadBytes.wait('b', 9);
  const taken = unreadBytes.wait('c', 9);
  expect(() => unreadBytes.check('d')).toThrow('of all users hold too much memory');
  taken();
  taken();
  expect(() => unreadBytes.check('d')).not.toThrow();
});
