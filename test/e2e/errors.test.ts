import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { type InProcess, startInProcess } from './inProcess.ts';

const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;

let server: InProcess;
beforeAll(async () => {
  server = await startInProcess();
});
afterAll(() => server.stop());

test('open operations need no credential; all others are 401 without one', async () => {
  const { url } = server;
  for (const path of ['/health/live', '/health/ready', '/openapi.json', '/realms/tributary/protocol/openid-connect/certs'])
    expect((await call(url, path, { key: null })).status).toBe(200);
  expect((await call(url, '/health/ready', { key: null })).body).toEqual({
    status: 'ready',
    checks: { views: { ok: true, reason: null } },
  });
  expect((await call(url, '/credential-service/api/v1/credentials', { key: null })).status).toBe(401);
});

test('every operation of the API document answers any request without a 500, and every error has the documented shape', async () => {
  const { url } = server;
  const { body: document } = await call(url, '/openapi.json');
  const paths = Object.keys(document.paths);
  const value = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('..', '%', '%00', '{}', '-1', 'true', '__proto__', '1e309', "'; --"),
  );
  const json = fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.constantFrom('{"__proto__":{}}', '[', 'null', '{"kind":"client","label":"x","role":"user","subject":null}'),
  );
  const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.constantFrom(...METHODS),
      value,
      value,
      json,
      type,
      async (path, method, id, query, body, contentType) => {
        const target =
          path.replaceAll(/\{\w+\}/g, encodeURIComponent(id)) +
          (query === '' ? '' : `?page=${encodeURIComponent(query)}&${encodeURIComponent(query)}`);
        const options = method === 'GET' ? { method } : { method, body, headers: { 'content-type': contentType } };
        const answer = await call(url, target, options);
        expect(answer.status).not.toBe(500);
        if (answer.status < 400 || answer.body?.error) return;
        expect(answer.body).toEqual({
          statusCode: answer.status,
          title: expect.any(String),
          message: expect.any(String),
          internalErrorName: expect.stringMatching(/^[A-Z_]+$/),
          nestedErrors: expect.any(Array),
        });
      },
    ),
    { numRuns: isClusterForm ? 40 : 400 },
  );
});

test('Tributary-After is 400 at once if it is not a position, and 503 if it is beyond the end of the log', async () => {
  const { url } = server;
  const read = (after: string) =>
    call(url, '/credential-service/api/v1/credentials', { headers: { 'tributary-after': after }, expects503: true });
  const position = (digits: string) => (isClusterForm ? `${digits}:${digits}` : digits);
  const others = isClusterForm ? '00000000000000000001' : '00000000000000000001:00000000000000000001';
  for (const rubbish of ['abc', '7', others]) expect((await read(rubbish)).status).toBe(400);
  expect((await read(position('0'.repeat(20)))).status).toBe(200);
  expect((await read(position('9'.repeat(10).padStart(20, '0')))).status).toBe(503);
});
