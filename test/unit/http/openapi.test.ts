import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { patchesOfJson } from '../../../src/domain/templates/patches.ts';
import { PAGE_PARAMETERS } from '../../../src/http/answers/page.ts';
import { apiDocumentRoutes } from '../../../src/http/docs/apiDocuments.ts';
import { openapiDocument } from '../../../src/http/openapi/openapi.ts';
import { headerParameter } from '../../../src/http/route/headers.ts';
import type { Route } from '../../../src/http/route/route.ts';
import { ask, route, serve } from './testServer.ts';

const handle: Route['handle'] = async () => ({ status: 204 });

const ROUTES: readonly Route[] = [
  route({
    operationId: 'list',
    path: '/a',
    access: 'authenticated',
    query: { ...PAGE_PARAMETERS, state: { schema: { enum: ['A'] }, description: 's', list: 'repeat' } },
    handle,
  }),
  route({
    operationId: 'put',
    path: '/a/{id}/b/{part}',
    method: 'PUT',
    access: ['admin'],
    body: { kind: 'json', schema: { type: 'object' } },
    responses: { 200: { description: 'x', schema: { type: 'string' } }, 409: { description: 'c' } },
    handle,
  }),
  route({
    operationId: 'up',
    path: '/up',
    method: 'POST',
    body: { kind: 'raw', contentTypes: ['*/*'] },
    responses: { 200: { description: 'x', contentType: 'text/plain' } },
    handle,
  }),
  route({ operationId: 'form', path: '/form', method: 'POST', body: { kind: 'form' }, handle }),
];

/** Every object in the document, with the keys that lead to it. */
function* objectsIn(value: unknown, at: readonly string[] = []): Generator<[readonly string[], Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, [...at, key]);
}

describe('the API document', () => {
  // biome-ignore lint/suspicious/noExplicitAny: checked by assertions
  const document: any = JSON.parse(JSON.stringify(openapiDocument(ROUTES, { version: '1.2.3', publicUrl: () => 'http://x' })));
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const operations: [string, any][] = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item as object).map((one) => [path, one] as [string, unknown]),
  );

  test('has every route once, each under a unique name', () => {
    expect(operations.map(([, { operationId }]) => operationId).sort()).toEqual(['form', 'list', 'put', 'up']);
    expect(Object.keys(document.paths)).toEqual(['/a', '/a/{id}/b/{part}', '/up', '/form']);
  });

  test('declares every parameter of a path, and each parameter once', () => {
    for (const [path, { parameters = [] }] of operations) {
      const inPath = parameters.filter((one: { in: string }) => one.in === 'path').map((one: { name: string }) => `{${one.name}}`);
      expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
      const names = parameters.map((one: { in: string; name: string }) => `${one.in} ${one.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const one of parameters)
        expect(one).toMatchObject({
          name: expect.any(String),
          in: expect.stringMatching(/^(path|query|header)$/),
          required: expect.any(Boolean),
          schema: expect.any(Object),
        });
    }
  });

  test('has no dangling reference', () => {
    for (const [, { $ref }] of objectsIn(document)) {
      if (typeof $ref !== 'string') continue;
      const target = $ref
        .slice(2)
        .split('/')
        .reduce((value, key) => value?.[key], document);
      expect(target, $ref).toBeDefined();
    }
    for (const [, { security }] of operations)
      for (const scheme of security.flatMap(Object.keys)) expect(document.components.securitySchemes).toHaveProperty(scheme);
  });

  test('has only valid JSON Schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'doc', ...document });
    let seen = 0;
    for (const [at, { schema }] of objectsIn(document)) {
      if (schema === undefined || at.includes('schemas')) continue;
      const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/'));
      expect(() => ajv.compile(local)).not.toThrow();
      seen++;
    }
    expect(seen).toBeGreaterThan(10);
  });

  test('gives every answer a description, errors the error shape, and open operations no security', () => {
    for (const [, { responses, security }] of operations) {
      for (const [status, response] of Object.entries<{ $ref?: string; description?: string; content?: object }>(responses)) {
        expect(status).toMatch(/^[1-5]\d\d$/);
        const shared = response.$ref?.replace('#/components/responses/', '');
        const { description, content } = shared === undefined ? response : document.components.responses[shared];
        expect(description).not.toBe('');
        if (Number(status) >= 400) expect(JSON.stringify(content)).toContain('ErrorResponse');
      }
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '500', '503']));
      expect(Boolean(responses[401])).toBe(security.length > 0);
    }
  });

  test('is served, and names itself', async () => {
    const server = await serve([...ROUTES, ...apiDocumentRoutes(ROUTES, { version: '1', publicUrl: () => 'http://x' })]);
    const { body } = await ask(server, 'GET', '/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    expect(body.paths['/openapi.json'].get.operationId).toBe('getOpenapi');
  });
});

describe('the pattern of a header with patches', () => {
  const { schema, example } = headerParameter('X-Template-Patch') as { schema: { pattern: string }; example: string };
  const pattern = new RegExp(schema.pattern);

  test.each([
    example,
    '{"op":"remove","path":"/a"}',
    ' [ {"path": "summary", "value": true, "op": "add"}, {"op":"replace","path":"a","value":[1]} ] ',
  ])('lets %s through', (text) => {
    expect(pattern.test(text)).toBe(true);
    expect(patchesOfJson(text).length).toBeGreaterThan(0);
  });

  test.each(['{}', '[1]', '{"op":"move","path":"/a"}', '{"op":"add"}', '[{"op":"add","path":"a"},{}]', '[', 'text'])(
    'refuses %s, as the server does',
    (text) => {
      expect(pattern.test(text)).toBe(false);
      expect(() => patchesOfJson(text)).toThrow();
    },
  );
});
