import { expect, test } from 'vitest';
import type { Role } from '../../../src/domain/credentials/events.ts';
import { commandAdmission } from '../../../src/http/route/admission.ts';
import { ask, CALLER, route, serve } from './testServer.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A server with a route of each method, and a disk and a daily limit that a test sets. */
const served = async (role: Role = 'user') => {
  const state: { shortage: string | null; retryAfter: number | null } = { shortage: null, retryAfter: null };
  const admit = commandAdmission({
    disk: { shortage: () => state.shortage },
    logUsage: { retryAfter: () => state.retryAfter },
  });
  const done = async () => ({ status: 204 }) as const;
  const routes = [
    ...METHODS.map((method) => route({ method, access: 'authenticated', handle: done })),
    route({ method: 'PUT', path: '/cancel', access: 'authenticated', allowedOnFullDisk: true, handle: done }),
  ];
  const server = await serve(routes, { admit, authenticate: async () => ({ ...CALLER, roles: [role] }) });
  const statuses = async () => {
    const answers = [];
    for (const method of METHODS) answers.push(await ask(server, method, '/thing'));
    return [...answers, await ask(server, 'PUT', '/cancel')];
  };
  return { state, statuses };
};

test("refuses a user's commands below the disk watermark with 503, but accepts reads, deletions and cancellations", async () => {
  const { state, statuses } = await served();
  state.shortage = 'nearly full';
  const answers = await statuses();
  expect(answers.map(({ status }) => status)).toEqual([204, 503, 503, 503, 204, 204]);
  expect(answers[1]).toMatchObject({ headers: { 'retry-after': '30' }, body: { internalErrorName: 'GENERAL_INTERNAL_ERROR' } });
  state.shortage = null;
  expect((await statuses()).map(({ status }) => status)).toEqual([204, 204, 204, 204, 204, 204]);
});

test('refuses commands above the daily bytes with 429 and the seconds until midnight', async () => {
  const { state, statuses } = await served();
  state.retryAfter = 1_234;
  const answers = await statuses();
  expect(answers.map(({ status }) => status)).toEqual([204, 429, 429, 429, 204, 204]);
  expect(answers[1]).toMatchObject({ headers: { 'retry-after': '1234' }, body: { internalErrorName: 'STREAM_USAGE_LIMIT_REACHED' } });
});

test("accepts an administrator's commands from the disk reserve", async () => {
  const { state, statuses } = await served('admin');
  state.shortage = 'nearly full';
  expect((await statuses()).map(({ status }) => status)).toEqual([204, 204, 204, 204, 204, 204]);
});
