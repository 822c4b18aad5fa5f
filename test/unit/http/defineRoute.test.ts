import { expect, expectTypeOf, test } from 'vitest';
import { defineRoute } from '../../../src/http/route/route.ts';
import type { JsonObject } from '../../../src/json.ts';
import * as s from '../../../src/schema.ts';
import { ask, route, serve } from './testServer.ts';

const BODY = {
  type: 'object',
  required: ['name'],
  properties: {
    name: s.text,
    kind: s.oneOf('a', 'b'),
    note: s.nullable(s.text),
    limits: { type: ['object', 'null'], properties: { most: { type: 'integer' } } },
    tags: s.list(s.text),
    anything: { type: 'object', additionalProperties: true },
  },
} as const;

const { operationId, tag, summary, description, access, responses } = route({ handle: async () => ({ status: 204 }) });
const shared = { operationId, tag, summary, description, access, responses } as const;

test('gives a handler the values of its path, query and body with the types of their schemas', async () => {
  const typed = defineRoute({
    ...shared,
    method: 'POST',
    path: '/things/{thingId}/parts/{part}',
    query: {
      size: { schema: { type: 'integer', default: 10 }, description: 'Has a default.' },
      order: { schema: { type: 'string', enum: ['asc', 'desc'] }, description: 'May be absent.' },
      tags: { schema: { type: 'string' }, list: 'comma', description: 'A list.' },
      name: { schema: { type: 'string' }, required: true, description: 'Required.' },
    },
    body: { kind: 'json', schema: BODY },
    handle: async ({ params, query, body }) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly thingId: string } & { readonly part: string }>();
      expectTypeOf(query.size).toEqualTypeOf<number>();
      expectTypeOf(query.order).toEqualTypeOf<'asc' | 'desc' | undefined>();
      expectTypeOf(query.tags).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(query.name).toEqualTypeOf<string>();
      expectTypeOf(body.name).toEqualTypeOf<string>();
      expectTypeOf(body.kind).toEqualTypeOf<'a' | 'b' | undefined>();
      expectTypeOf(body.note).toEqualTypeOf<string | null | undefined>();
      expectTypeOf(body.limits?.most).toEqualTypeOf<number | undefined>();
      expectTypeOf(body.tags).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(body.anything).toEqualTypeOf<JsonObject | undefined>();
      return { status: 200, body: { params, query, body } };
    },
  });
  const server = await serve([typed]);
  const answered = await ask(server, 'POST', '/things/7/parts/wheel?tags=x,y&name=n', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'car', kind: 'b' }),
  });
  expect(answered.body).toEqual({
    params: { thingId: '7', part: 'wheel' },
    query: { size: 10, tags: ['x', 'y'], name: 'n' },
    body: { name: 'car', kind: 'b' },
  });
});

test('refuses a body before its handler sees it', async () => {
  let handled = false;
  const typed = defineRoute({
    ...shared,
    method: 'POST',
    path: '/things',
    body: { kind: 'json', schema: BODY, required: false },
    handle: async ({ body }) => {
      expectTypeOf(body?.name).toEqualTypeOf<string | undefined>();
      handled = true;
      return { status: 204 };
    },
  });
  const server = await serve([typed]);
  const headers = { 'content-type': 'application/json' };
  expect((await ask(server, 'POST', '/things', { headers, body: '{"name":1}' })).status).toBe(400);
  expect(handled).toBe(false);
  expect((await ask(server, 'POST', '/things')).status).toBe(204);
});

test('does not compile without its access', () => {
  const { access: _, ...rest } = { ...shared, method: 'GET', path: '/things' } as const;
  // @ts-expect-error: a route must say who may use it.
  defineRoute({ ...rest, handle: async () => ({ status: 204 }) });
});
