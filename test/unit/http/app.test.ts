import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notFound, Problem, unavailable } from '../../../src/domain/problem.ts';
import { unauthenticated } from '../../../src/http/errors/errors.ts';
import { UPLOAD_PARAMETERS } from '../../../src/http/gateway/uploadParameters.ts';
import { RawQuery } from '../../../src/http/query/rawQuery.ts';
import type { Route } from '../../../src/http/route/route.ts';
import { shownQuery } from '../../../src/http/server/requestLog.ts';
import { StoreUnavailable, WrongExpectedRevision } from '../../../src/stores/eventStore.ts';
import { eventually } from '../../eventually.ts';
import { loggedLines } from '../../logLines.ts';
import { ManualClock } from '../../manualClock.ts';
import { ask, CALLER, raw, route, serve } from './testServer.ts';

const problem = (statusCode: number, internalErrorName: string) => ({
  statusCode,
  title: expect.any(String),
  message: expect.any(String),
  internalErrorName,
  nestedErrors: expect.any(Array),
});

const THING = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: { name: { type: 'string' }, size: { type: 'integer' } },
};

const echo: Route['handle'] = async ({ params, query, body }) => ({ status: 200, body: { params, query, body: body ?? null } });

const ROUTES: readonly Route[] = [
  route({
    path: '/things',
    handle: echo,
    query: {
      page: { schema: { type: 'integer', minimum: 0, maximum: 9, default: 0 }, description: '' },
      deep: { schema: { type: 'boolean' }, description: '' },
      ratio: { schema: { type: 'number', minimum: 0 }, description: '' },
      state: { schema: { enum: ['A', 'B'] }, description: '', list: 'repeat' },
      ids: { schema: { type: 'string' }, description: '', list: 'comma' },
    },
  }),
  route({ path: '/things', method: 'POST', handle: echo, body: { kind: 'json', schema: THING, limitBytes: 10_000 } }),
  route({ path: '/things/{id}', handle: echo }),
  route({ path: '/things/known', handle: async () => ({ status: 200, body: 'fixed' }) }),
  route({ path: '/things/{id}/parts/{part}', method: 'DELETE', handle: async () => ({ status: 204 }) }),
  route({ path: '/secret', access: 'authenticated', handle: async ({ caller }) => ({ status: 200, body: caller }) }),
  route({ path: '/admin', access: ['admin'], handle: echo }),
  route({ path: '/form', method: 'POST', handle: echo, body: { kind: 'form' } }),
];

describe('finding the route', () => {
  test('prefers a fixed segment to a parameter, and decodes parameters', async () => {
    const server = await serve(ROUTES);
    expect((await ask(server, 'GET', '/things/known')).body).toBe('fixed');
    expect((await ask(server, 'GET', '/things/a%2Fb%20c')).body.params).toEqual({ id: 'a/b c' });
  });

  test.each([
    '/nope',
    '/',
    '/things/',
    '/Things',
    '//things',
    '/things/%',
    '/things/%ff',
    '/things/%00',
    '/things/a%0d%0ab',
    `/things/${'x'.repeat(2000)}`,
  ])('answers %s with 404 in the documented shape', async (path) => {
    const answer = await ask(await serve(ROUTES), 'GET', path);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(problem(404, 'GENERAL_NOT_FOUND_ERROR'));
  });

  test('answers 405 with Allow to a wrong method, with or without a credential', async () => {
    const server = await serve(ROUTES, { authenticate: async () => Promise.reject(unauthenticated('no')) });
    for (const path of ['/things', '/secret']) {
      const answer = await ask(server, 'PATCH', path);
      expect(answer.status).toBe(405);
      expect(answer.body).toEqual(problem(405, 'GENERAL_BAD_REQUEST_ERROR'));
      expect(answer.headers.allow).toBe(path === '/things' ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS');
    }
    expect((await ask(server, 'GET', '/unknown')).status).toBe(404);
    expect((await ask(server, 'TRACE', '/things')).status).toBe(405);
  });

  test('answers HEAD as GET without the body, and OPTIONS with the methods', async () => {
    const server = await serve(ROUTES);
    const get = await ask(server, 'GET', '/things/known');
    const head = await ask(server, 'HEAD', '/things/known');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    const options = await ask(server, 'OPTIONS', '/things/1/parts/2');
    expect(options).toMatchObject({ status: 204, headers: { allow: 'DELETE, OPTIONS' } });
    expect((await ask(server, 'OPTIONS', '*')).status).toBe(204);
  });

  test('rejects two routes with the same method and path at the start', async () => {
    const twice = [route({ handle: echo }), route({ handle: echo })];
    await expect(serve(twice)).rejects.toThrow('two routes');
  });
});

describe('access', () => {
  test('gives the handler its caller', async () => {
    expect((await ask(await serve(ROUTES), 'GET', '/secret')).body).toEqual(CALLER);
  });

  test('is 403 without a required role', async () => {
    const answer = await ask(await serve(ROUTES), 'GET', '/admin');
    expect(answer.body).toEqual(problem(403, 'GENERAL_AUTHORIZATION_ERROR'));
  });
});

describe('the query', () => {
  test('is converted by its schema, with defaults; undocumented parameters are ignored', async () => {
    const server = await serve(ROUTES);
    const { body } = await ask(server, 'GET', '/things?page=3&deep=false&ratio=0.5&state=A&state=B&ids=a,b&ids=c%2Cd&what=1&what=2&%zz=1');
    expect(body.query).toEqual({ page: 3, deep: false, ratio: 0.5, state: ['A', 'B'], ids: ['a', 'b', 'c', 'd'] });
    expect((await ask(server, 'GET', '/things')).body.query).toEqual({ page: 0 });
  });

  test.each([
    ['deep=True', { deep: true }],
    ['deep=0', { deep: false }],
    ['state=a', { state: ['A'] }],
    ['state[]=A&state[]=b', { state: ['A', 'B'] }],
    ['state[0]=A&state[1]=B', { state: ['A', 'B'] }],
    ['state=a,B', { state: ['A', 'B'] }],
  ])('takes %s as clients in other languages write it', async (query, expected) => {
    expect((await ask(await serve(ROUTES), 'GET', `/things?${query}`)).body.query).toEqual({ page: 0, ...expected });
  });

  test.each([
    ['page=1&page=1', 'page'],
    ['page=10', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=0x1', 'page'],
    ['page=', 'page'],
    ['page=1e0', 'page'],
    ['page=99999999999999999999', 'page'],
    ['deep=yes', 'deep'],
    ['deep=2', 'deep'],
    ['page[]=1&page[]=1', 'page'],
    ['deep', 'deep'],
    ['ratio=NaN', 'ratio'],
    ['ratio=-0.1', 'ratio'],
    ['state=C', 'state'],
    ['ids=%ff', 'ids'],
  ])('rejects %s as a validation error of %s', async (query, field) => {
    const answer = await ask(await serve(ROUTES), 'GET', `/things?${query}`);
    expect(answer.body).toEqual(problem(400, 'GENERAL_VALIDATION_ERROR'));
    expect(answer.body.nestedErrors).toHaveLength(1);
    expect(answer.body.nestedErrors[0].message).toContain(field);
  });

  const LISTED = {
    path: '/thing-service/api/v1/things',
    handle: echo,
    query: {
      page: { schema: { type: 'integer', default: 0 }, description: '' },
      sort: { schema: { enum: ['name,asc'] }, description: '' },
      state: { schema: { type: 'string', enum: ['A', 'B'] }, list: 'comma', description: '' },
    },
  } as const;
  const SERVICE: readonly Route[] = [
    route({ ...LISTED, access: 'authenticated' }),
    route({ path: '/thing-service/api/v1/things/{id}', handle: echo, access: 'authenticated' }),
    route({ ...LISTED, method: 'PUT', query: { dryRun: { schema: { type: 'boolean' }, description: '' } } }),
    route({ path: '/thing-service/api/v1/things', method: 'DELETE', handle: echo }),
  ];

  test.each([
    ['GET', '?since=2026', 'The query is not valid: since is not a parameter of this operation, which takes page, sort, state.'],
    ['GET', '?sort=name,desc', 'The query is not valid: sort must be equal to one of the allowed values: name,asc.'],
    ['GET', '/1?page=0', 'The query is not valid: page is not a parameter of this operation, which has no parameters.'],
    ['PUT', '?dryrun=true', 'The query is not valid: dryrun is not a parameter of this operation, which takes dryRun.'],
    ['GET', '?state=A,C,D', 'The query is not valid: state must be equal to one of the allowed values: A, B.'],
  ])('of a service names what it refuses: %s %s', async (method, rest, message) => {
    const { status, body } = await ask(await serve(SERVICE), method, `/thing-service/api/v1/things${rest}`);
    expect([status, body.message, body.nestedErrors.length]).toEqual([400, message, 1]);
  });

  test.each([
    ['GET', '?sort=name,asc&page=1'],
    ['GET', '?access_token=a&client_id=b&client_secret=c'],
    ['DELETE', '?reason=none'],
  ])('of a service takes %s %s', async (method, rest) => {
    expect((await ask(await serve(SERVICE), method, `/thing-service/api/v1/things${rest}`)).status).toBe(200);
  });

  test('gets a nested error for each bad parameter', async () => {
    const { body } = await ask(await serve(ROUTES), 'GET', '/things?page=x&deep=x&ratio=x');
    expect(body.nestedErrors.map((nested: { message: string }) => nested.message.split(':')[0]).sort()).toEqual(['deep', 'page', 'ratio']);
  });

  test('is answered or refused whatever it contains, and only valid values reach the handler', async () => {
    const server = await serve(ROUTES);
    const piece = fc.oneof(
      fc.constantFrom('page', 'deep', 'state', 'ids', '=', '&', '%', '+', '1', 'true', '__proto__', '[', ']'),
      fc.string({ maxLength: 5 }).map(encodeURI),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const { status, body } = await ask(server, 'GET', `/things?${pieces.join('').replaceAll(/[^!-~]/g, '')}`);
        expect([200, 400]).toContain(status);
        if (status === 200) expect(Number.isInteger(body.query.page) && body.query.page >= 0 && body.query.page <= 9).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a body', () => {
  const json = { 'content-type': 'application/json' };
  const post = async (body: string | Uint8Array, headers: Record<string, string> = json) =>
    ask(await serve(ROUTES), 'POST', '/things', { body, headers });

  test('reaches the handler if valid', async () => {
    expect((await post('{"name":"n","size":2}')).body.body).toEqual({ name: 'n', size: 2 });
    expect((await post('{"name":"n"}', { 'content-type': 'Application/JSON; charset="UTF-8"' })).status).toBe(200);
  });

  test('gets a nested error for each bad field', async () => {
    const { body } = await post('{"size":"x","more":1}');
    expect(body).toEqual(problem(400, 'GENERAL_VALIDATION_ERROR'));
    expect(body.nestedErrors.map((nested: { message: string }) => nested.message.split(':')[0]).sort()).toEqual(['more', 'name', 'size']);
    for (const nested of body.nestedErrors) expect(nested).toEqual(problem(400, 'GENERAL_VALIDATION_ERROR'));
  });

  test.each([
    ['no JSON', '{"name":', 400],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400],
    ['nothing', '', 400],
    ['too much', JSON.stringify({ name: 'x'.repeat(20_000) }), 413],
    ['deep nesting', `{"name":${'['.repeat(4000)}${']'.repeat(4000)}}`, 400],
  ])('is refused in the documented shape if it is %s', async (_what, body, status) => {
    const answer = await post(body);
    expect(answer.body).toEqual(problem(status, 'GENERAL_BAD_REQUEST_ERROR'));
  });

  test.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/json; charset=latin1' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    [{}],
  ])('is 415 with %o', async (headers) => {
    const answer = await post('{"name":"n"}', headers);
    expect(answer.body).toEqual(problem(415, 'GENERAL_BAD_REQUEST_ERROR'));
  });

  test('never brings in a member __proto__, however it is written', async () => {
    const answer = await post('{"name":"n","__proto__":{"admin":true},"\\u005f_proto__":1}');
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('admin');
  });

  test('of a form has text by name, and a list for a repeated name', async () => {
    const server = await serve(ROUTES);
    const { body } = await ask(server, 'POST', '/form', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1+2&b=x&b=%79&__proto__=p',
    });
    expect(body.body).toEqual(JSON.parse('{"a":"1 2","b":["x","y"],"__proto__":"p"}'));
  });

  test('is not sent if the client expects 100-continue and is refused', async () => {
    const server = await serve(
      [route({ path: '/up', method: 'POST', access: 'authenticated', body: { kind: 'raw', contentTypes: ['*/*'] }, handle: echo })],
      {
        authenticate: async () => Promise.reject(unauthenticated('no')),
      },
    );
    const outgoing = httpRequest({
      port: server.port,
      method: 'POST',
      path: '/up',
      headers: { expect: '100-continue', 'content-length': '1000000' },
    });
    let told = false;
    outgoing.on('continue', () => {
      told = true;
    });
    outgoing.flushHeaders();
    const [incoming] = await once(outgoing, 'response');
    expect(incoming.statusCode).toBe(401);
    expect(told).toBe(false);
    outgoing.destroy();
  });

  test('is requested with 100-continue only when it is read', async () => {
    const answer = await new Promise<{ told: boolean; status: number }>((resolve, reject) => {
      serve(ROUTES).then((server) => {
        let told = false;
        const outgoing = httpRequest({
          port: server.port,
          method: 'POST',
          path: '/things',
          headers: { ...json, expect: '100-continue', 'content-length': '12' },
        });
        outgoing.on('continue', () => {
          told = true;
          outgoing.end('{"name":"n"}');
        });
        outgoing.on('response', (incoming) => resolve({ told, status: incoming.statusCode ?? 0 }));
        outgoing.on('error', reject);
        outgoing.flushHeaders();
      }, reject);
    });
    expect(answer).toEqual({ told: true, status: 200 });
  });

  test('is 408 if it does not arrive in time', async () => {
    const clock = new ManualClock();
    const server = await serve(ROUTES, { clock });
    const outgoing = httpRequest({ port: server.port, method: 'POST', path: '/things', headers: { ...json, 'content-length': '12' } });
    outgoing.on('error', () => {});
    outgoing.write('{"name"');
    const answered = once(outgoing, 'response');
    await eventually(() => clock.sleeping === 1);
    await clock.advance(60_000);
    const [incoming] = await answered;
    expect(incoming.statusCode).toBe(408);
    outgoing.destroy();
  });

  test('that is large can be refused while the client is still sending', async () => {
    const refusing = route({
      path: '/up',
      method: 'POST',
      body: { kind: 'raw', contentTypes: ['*/*'] },
      handle: async () => Promise.reject(new Problem('GENERAL_CONFLICT_ERROR', 'No.')),
    });
    const answer = await ask(await serve([refusing]), 'POST', '/up', { body: Buffer.alloc(8_000_000) });
    expect(answer.status).toBe(409);
    expect(answer.headers.connection).toBe('close');
  });
});

describe('a failure', () => {
  const failing = (error: unknown) => serve([route({ handle: async () => Promise.reject(error) })]);

  test('that is unexpected is 500 without details, and is logged under its correlation id', async () => {
    const { logger, lines } = loggedLines();
    const server = await serve([route({ handle: async () => Promise.reject(new Error('SQLITE: /var/secret')) })], { logger });
    const answer = await ask(server, 'GET', '/thing', { headers: { 'x-correlation-id': 'abc-1' } });
    expect(answer.body).toEqual(problem(500, 'GENERAL_INTERNAL_ERROR'));
    expect(answer.text).not.toContain('secret');
    expect(answer.headers['x-correlation-id']).toBe('abc-1');
    expect(lines[0]).toMatchObject({ correlationId: 'abc-1', err: { message: 'SQLITE: /var/secret' } });
  });

  test('of a store that is away is 503 with Retry-After', async () => {
    const answer = await ask(await failing(new StoreUnavailable('disk I/O error at /data')), 'GET', '/thing');
    expect(answer.body).toEqual(problem(503, 'GENERAL_INTERNAL_ERROR'));
    expect(answer.headers['retry-after']).toBeDefined();
    expect(answer.text).not.toContain('/data');
  });

  test('by an unresolved conflict is 409', async () => {
    const answer = await ask(await failing(new WrongExpectedRevision('stream-1', 1n, 2n)), 'GET', '/thing');
    expect(answer.body).toEqual(problem(409, 'GENERAL_CONFLICT_ERROR'));
  });

  test('to write an invalid header is 500, not a broken answer', async () => {
    const server = await serve([route({ handle: async () => ({ status: 200, body: {}, headers: { 'X-A': 'a\r\nB: c' } }) })]);
    expect((await ask(server, 'GET', '/thing')).body).toEqual(problem(500, 'GENERAL_INTERNAL_ERROR'));
  });
});

describe('streamed answers', () => {
  async function* count(to: number, seen: { last: number }): AsyncGenerator<string> {
    for (let n = 0; n < to; n++) {
      seen.last = n;
      yield `${n}\n`.padEnd(65_536, '.');
    }
  }

  test('arrive in full and in order', async () => {
    const server = await serve([
      route({ handle: async () => ({ status: 200, contentType: 'text/plain', chunks: count(100, { last: 0 }) }) }),
    ]);
    const { text, headers } = await ask(server, 'GET', '/thing');
    expect(text).toHaveLength(6_553_600);
    expect(headers['content-type']).toBe('text/plain');
  });

  test('wait for a slow reader, and end when it leaves', async () => {
    const seen = { last: 0 };
    let aborted = false;
    let answering: ServerResponse | undefined;
    const server = await serve([
      route({
        handle: async ({ signal, outgoing }) => {
          answering = outgoing;
          signal.addEventListener('abort', () => {
            aborted = true;
          });
          return { status: 200, contentType: 'text/plain', chunks: count(100_000, seen) };
        },
      }),
    ]);
    const outgoing = httpRequest({ port: server.port, path: '/thing' }).end();
    outgoing.on('error', () => {});
    const [incoming] = await once(outgoing, 'response');
    incoming.pause();
    await eventually(() => answering?.writableNeedDrain);
    expect(seen.last).toBeLessThan(5_000);
    incoming.destroy();
    await eventually(() => aborted);
  });

  test('that fail midway are cut off, so that the client notices', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'a';
      throw new Error('midway');
    }
    const server = await serve([route({ handle: async () => ({ status: 200, contentType: 'text/plain', chunks: broken() }) })]);
    await expect(ask(server, 'GET', '/thing')).rejects.toThrow();
  });
});

describe('consistency', () => {
  const command = route({
    method: 'POST',
    access: 'authenticated',
    handle: async () => ({ status: 200, body: {}, consistency: { position: '7' as never, projections: ['streams'] } }),
  });
  const read = route({ access: 'authenticated', handle: async () => ({ status: 200, body: {} }), reads: ['groups'] });
  const following = { isPosition: async () => true, keepUp: () => true, waitFor: async () => true };
  const PENDING = { 'tributary-consistency': 'pending', 'tributary-position': '7' };

  test('answers a command without waiting for read models that keep up', async () => {
    const server = await serve([command], { readModels: { ...following, waitFor: () => new Promise(() => {}) } });
    const answer = await ask(server, 'POST', '/thing');
    expect(answer.status).toBe(200);
    expect(answer.headers['tributary-consistency']).toBeUndefined();
  });

  test('marks a command as pending if a read model does not keep up', async () => {
    const server = await serve([command], { readModels: { ...following, keepUp: () => false } });
    expect((await ask(server, 'POST', '/thing')).headers).toMatchObject(PENDING);
  });

  test('waits for read models if the command depends on them, and still succeeds when they fail', async () => {
    const issuing = route({
      method: 'POST',
      handle: async () => ({ status: 200, body: {}, consistency: { position: '7' as never, projections: ['streams'], shown: true } }),
    });
    const asked: unknown[] = [];
    const waitFor = async (...wait: unknown[]) => {
      asked.push(wait);
      throw new StoreUnavailable('gone');
    };
    const answer = await ask(await serve([issuing], { readModels: { ...following, waitFor } }), 'POST', '/thing');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject(PENDING);
    expect(asked).toEqual([[['streams'], '7']]);
  });

  test("makes a read wait for its user's last command, and marks it as pending if the read models are late", async () => {
    let reached = true;
    const asked: unknown[] = [];
    const waitFor = async (projections: readonly string[], position: unknown) => {
      asked.push([projections, position]);
      return reached;
    };
    const server = await serve([command, read], { readModels: { ...following, waitFor } });
    await ask(server, 'GET', '/thing');
    expect(asked).toEqual([]);
    await ask(server, 'POST', '/thing');
    expect((await ask(server, 'GET', '/thing')).headers['tributary-consistency']).toBeUndefined();
    expect(asked).toEqual([[['groups'], '7']]);
    reached = false;
    const late = await ask(server, 'GET', '/thing');
    expect(late.status).toBe(200);
    expect(late.headers).toMatchObject(PENDING);
  });

  test('does not delay a read that is folded from its event stream', async () => {
    const folded = route({
      access: 'authenticated',
      alwaysFresh: true,
      reads: ['groups'],
      handle: async () => ({ status: 200, body: {} }),
    });
    const server = await serve([command, folded], { readModels: { ...following, waitFor: async () => false } });
    await ask(server, 'POST', '/thing');
    expect((await ask(server, 'GET', '/thing')).headers['tributary-consistency']).toBeUndefined();
  });

  test('marks a failing read as pending too', async () => {
    const failing = route({ access: 'authenticated', reads: ['groups'], handle: async () => Promise.reject(notFound('thing')) });
    const server = await serve([command, failing], { readModels: { ...following, waitFor: async () => false } });
    await ask(server, 'POST', '/thing');
    expect(await ask(server, 'GET', '/thing')).toMatchObject({ status: 404, headers: PENDING });
  });

  test("makes a read with Tributary-After wait for its user's last command too", async () => {
    const server = await serve([command, read], { readModels: { ...following, waitFor: async (_, position) => position === '5' } });
    await ask(server, 'POST', '/thing');
    const answer = await ask(server, 'GET', '/thing', { headers: { 'tributary-after': '5' } });
    expect(answer).toMatchObject({ status: 200, headers: PENDING });
  });

  test('counts a successful change without a position as acknowledged, but not a refused one', async () => {
    const asked: unknown[] = [];
    const waitFor = async (_: readonly string[], position: unknown) => asked.push(position) > 0;
    const unplaced = route({ method: 'POST', access: 'authenticated', handle: async () => ({ status: 204 }) });
    const refused = route({ method: 'DELETE', access: 'authenticated', handle: async () => Promise.reject(notFound('thing')) });
    const lone = { begunAt: null, head: async () => '7' as never };
    const server = await serve([unplaced, refused, read], { readModels: { ...following, waitFor }, lone });
    await ask(server, 'DELETE', '/thing');
    await ask(server, 'GET', '/thing');
    expect(asked).toEqual([]);
    await ask(server, 'POST', '/thing');
    await ask(server, 'GET', '/thing');
    expect(asked).toEqual(['7']);
  });

  test('makes a read with Tributary-After wait for its read models, or answers 503', async () => {
    const asked: unknown[] = [];
    const server = await serve([read], {
      readModels: {
        ...following,
        isPosition: async (text) => /^\d$/.test(text),
        waitFor: async (projections, position) => {
          asked.push(projections, position);
          return position === '5';
        },
      },
    });
    expect((await ask(server, 'GET', '/thing', { headers: { 'tributary-after': '5' } })).status).toBe(200);
    const late = await ask(server, 'GET', '/thing', { headers: { 'tributary-after': '6' } });
    expect(late.status).toBe(503);
    expect(late.headers['retry-after']).toBeDefined();
    expect(asked).toEqual([['groups'], '5', ['groups'], '6']);
    expect((await ask(server, 'GET', '/thing', { headers: { 'tributary-after': 'abc' } })).status).toBe(400);
  });
});

describe('the request log', () => {
  test('has one line per request, with caller and path and without secrets', async () => {
    const { logger, lines } = loggedLines();
    const server = await serve(ROUTES, { logger });
    await ask(
      server,
      'GET',
      '/things?page=2&ids=private&client_secret=s3cret&access_token=t0ken&webhook=http%3A%2F%2Fhook.example&client_id=me',
    );
    await ask(server, 'GET', '/secret');
    await eventually(() => lines.length === 2);
    expect(lines[0]).toMatchObject({ method: 'GET', path: '/things', query: 'page=2&ids=[redacted]&(4 more)', status: 200, subject: null });
    expect(lines[1]).toMatchObject({
      path: '/secret',
      status: 200,
      subject: CALLER.subject,
      actor: 'credential',
      correlationId: expect.any(String),
    });
    expect(JSON.stringify(lines)).not.toMatch(/s3cret|t0ken|hook|private|client/);
    const ofPino = ['level', 'time', 'pid', 'hostname', 'msg'];
    const ours = ['correlationId', 'method', 'path', 'query', 'operation', 'status', 'milliseconds', 'finished', 'subject', 'actor'];
    expect(Object.keys(lines[0] ?? {}).sort()).toEqual([...ofPino, ...ours].sort());
  });

  test('shows probes of health only for debugging, and never the token of a shared page', async () => {
    const { logger, lines } = loggedLines();
    const open = ['/health/live', '/s/{token}'].map((path) => route({ path, handle: async () => ({ status: 200, body: {} }) }));
    const server = await serve(open, { logger });
    await ask(server, 'GET', '/health/live');
    await ask(server, 'GET', '/s/the-token');
    await eventually(() => lines.length === 2);
    expect(lines.map(({ level, path }) => [logger.levels.labels[level], path])).toEqual([
      ['debug', '/health/live'],
      ['info', '/s/***'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('the-token');
  });

  test('shows ids, so that an upload can be found', () => {
    const id = randomUUID();
    const upload = `id=${id}&groupId=${id.toUpperCase()}&streamConfigurationTemplateId=65f46430c6d8985974ff9c9d&name=secret&ask0=${id}`;
    expect(shownQuery(new RawQuery(upload), UPLOAD_PARAMETERS)).toBe(
      `id=${id}&groupId=${id.toUpperCase()}&streamConfigurationTemplateId=65f46430c6d8985974ff9c9d&name=[redacted]&(1 more)`,
    );
    const list = { streams: { schema: { type: 'string' }, description: '', list: 'comma' } } as const;
    for (const streams of [`${id},${id}`, `${id}%2C${id}`])
      expect(shownQuery(new RawQuery(`streams=${streams}`), list)).toBe(`streams=${streams}`);
    expect(shownQuery(new RawQuery(`streams=${id},me@example.com`), list)).toBe('streams=[redacted]');
  });

  test.each([
    ['a refusal', new Problem('GENERAL_CONFLICT_ERROR', 'in use'), ['info request']],
    ['a refusal that asks to come again', new Problem('PROCESSOR_FAILED_RESERVATION_ERROR', 'no engine'), ['warn request']],
    ['a store that is away', new StoreUnavailable('gone'), ['error request failed', 'error request']],
    ['a command whose store is away', unavailable('later', new StoreUnavailable('gone')), ['error request failed', 'error request']],
    ['what nobody foresaw', new Error('oh'), ['error request failed', 'error request']],
  ])('logs %s at its level, with a stack only for server errors', async (_, thrown, expected) => {
    const { logger, lines } = loggedLines();
    const server = await serve([route({ handle: async () => Promise.reject(thrown) })], { logger });
    await ask(server, 'GET', '/thing');
    await eventually(() => lines.length >= expected.length);
    expect(lines.map(({ level, msg }) => `${logger.levels.labels[level]} ${msg}`)).toEqual(expected);
    const stacks = lines.flatMap(({ err }) => (err === undefined ? [] : [err]));
    expect(stacks).toEqual(
      expected.length === 2 ? [expect.objectContaining({ stack: expect.stringContaining(thrown.stack ?? 'a stack') })] : [],
    );
  });
});

test('a download whose client leaves while it waits is not logged as an error', async () => {
  const { logger, lines } = loggedLines();
  let begun = false;
  async function* waiting(signal: AbortSignal): AsyncGenerator<string> {
    begun = true;
    // Like a read that waits for room in memory.
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    yield '';
  }
  const handle: Route['handle'] = async ({ signal }) => ({ status: 200, contentType: 'text/plain', chunks: waiting(signal) });
  const server = await serve([route({ handle })], { logger });
  const leaving = new AbortController();
  const answer = fetch(`http://127.0.0.1:${server.port}/thing`, { signal: leaving.signal }).catch(() => undefined);
  await eventually(() => begun);
  leaving.abort();
  await answer;
  await eventually(() => lines.length > 0);
  expect(lines).toMatchObject([{ level: logger.levels.values.info, msg: 'request', finished: false }]);
});

describe('the connection', () => {
  test.each([
    ['no HTTP', 'HELLO\r\n\r\n', 400],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two Host headers', 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400],
    ['two equal Host headers', 'GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n', 400],
    [
      'an unknown transfer coding',
      'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      501,
    ],
    ['huge headers', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(70_000)}\r\n\r\n`, 431],
    [
      'a broken chunk',
      'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
  ])('answers %s in the documented error shape', async (_what, bytes, status) => {
    const answer = await raw(await serve(ROUTES), bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual(problem(status, 'GENERAL_BAD_REQUEST_ERROR'));
  });

  test('sends security headers and no-store with every answer', async () => {
    const { headers } = await ask(await serve(ROUTES), 'GET', '/things');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    });
    expect(headers['x-powered-by']).toBeUndefined();
  });

  test('finishes a running request while draining and accepts no new one', async () => {
    let finish = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let started = false;
    const server = await serve([
      route({
        handle: async () => {
          started = true;
          await waiting;
          return { status: 200, body: 'done' };
        },
      }),
    ]);
    const running = ask(server, 'GET', '/thing');
    await eventually(() => started);
    const drained = server.drain(5_000);
    await expect(ask(server, 'GET', '/thing')).rejects.toThrow('ECONNREFUSED');
    finish();
    expect((await running).body).toBe('done');
    await drained;
  });

  test('does not wait for a connection that was opened in advance', async () => {
    const server = await serve([route({ handle: async () => ({ status: 200, body: 'done' }) })]);
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    await eventually(() => new Promise<boolean>((resolve) => server.server.getConnections((_, count) => resolve(count === 1))));
    await server.drain(3_600_000);
  });
});

describe('a streamed answer', () => {
  /** A reader that takes the first of an endless answer and then no more. */
  const unread = async () => {
    const clock = new ManualClock();
    let left = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        left = true;
      }
    }
    const server = await serve(
      [route({ path: '/endless', handle: async () => ({ status: 200, contentType: 'application/octet-stream', chunks: endless() }) })],
      { clock },
    );
    const asked = httpRequest({ port: server.port, path: '/endless', agent: false }).end();
    const [response] = await once(asked, 'response');
    response.on('error', () => {});
    response.pause();
    // All buffers between the two are full.
    await eventually(() => clock.sleeping === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await eventually(() => clock.sleeping === 1);
    return { clock, response, left: () => left };
  };

  test('is cut off after a minute if its reader takes nothing, and its source is released', async () => {
    const { clock, left } = await unread();
    await clock.advance(55_000);
    expect(left()).toBe(false);
    await clock.advance(6_000);
    await eventually(() => left());
  });

  test('continues for a reader that takes something from time to time', async () => {
    const { clock, response, left } = await unread();
    await clock.advance(55_000);
    let taken = 0;
    response.on('data', (chunk: Buffer) => {
      taken += chunk.byteLength;
      if (taken > 20_000_000) response.pause();
    });
    response.resume();
    await eventually(() => taken > 20_000_000);
    await clock.advance(50_000);
    expect(left()).toBe(false);
    response.destroy();
    await eventually(() => left());
  });
});
