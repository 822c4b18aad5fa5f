import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

// Requirements of client generators on the document: each line broke one of them, including C# generators that cannot run here.

// biome-ignore lint/suspicious/noExplicitAny: checked by assertions
type Document = any;

let server: RunningServer;
let whole: Document;
let clients: Document;
beforeAll(async () => {
  server = await startServer();
  [whole, clients] = await Promise.all(['', '?for=clients'].map(async (form) => (await call(server.url, `/openapi.json${form}`)).body));
});
afterAll(() => server.kill());

/** Every object in the document, with the keys that lead to it. Values of examples and of the server's own data are not included. */
function* objectsIn(value: unknown, at: readonly string[] = []): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at.join('/'), value as Record<string, unknown>];
  for (const [key, member] of Object.entries(value))
    if (!['example', 'examples', 'default', 'enum'].includes(key)) yield* objectsIn(member, [...at, key]);
}

const operationsOf = (document: Document): [string, Document][] =>
  Object.entries<Document>(document.paths).flatMap(([path, item]) =>
    Object.values<Document>(item).map((one) => [path, one] as [string, Document]),
  );
const schemaOf = (document: Document, { schema }: Document): Document =>
  schema?.$ref ? document.components.schemas[schema.$ref.replace('#/components/schemas/', '')] : schema;

describe.each([
  ['the whole document', () => whole],
  ['the document for clients', () => clients],
])('%s', (_, documentOf) => {
  test('gives every integer a format', () => {
    const bare = [...objectsIn(documentOf())].filter(([, { type, format }]) => [type].flat().includes('integer') && !format);
    expect(bare.map(([at]) => at)).toEqual([]);
    const { schemas } = documentOf().components;
    expect(schemas.ErrorResponse.properties.statusCode.format).toBe('int32');
    expect(schemas.SinkMessage?.properties.publishTimestamp.format ?? 'int64').toBe('int64');
    expect(schemas.Lease.properties.epoch.format).toBe('int64');
    expect(schemas.ProcessorUsage.properties.timestamp.format).toBe('int64');
  });

  test('gives every array its items, and allows null with oneOf', () => {
    for (const [at, { type, items, anyOf }] of objectsIn(documentOf())) {
      if ([type].flat().includes('array')) expect(items, at).toBeDefined();
      expect(anyOf, at).toBeUndefined();
    }
  });

  test('gives each member one type, and names each required member once', () => {
    for (const [at, { type, required }] of objectsIn(documentOf())) {
      expect([type].flat().filter((one) => one !== 'null').length, at).toBeLessThanOrEqual(1);
      if (Array.isArray(required)) expect(new Set(required).size, at).toBe(required.length);
    }
  });

  test('gives the same id the same type everywhere', () => {
    const ids = /^(streamId|streamIds|streams|group|groupId|creatorId|groupCreatorId|webhookEndpointId|deliveryId|credentialId)$/;
    for (const [path, { parameters = [] }] of operationsOf(documentOf()))
      for (const { name, schema } of parameters)
        if (ids.test(name)) expect([path, name, (schema.items ?? schema).format]).toEqual([path, name, 'uuid']);
    // Members of links have the names of ids, but contain paths.
    // `streams` of a label or a user is their number.
    for (const [at, { properties }] of [...objectsIn(documentOf())].filter(([at]) => !at.endsWith('Links')))
      for (const [name, schema] of Object.entries<Document>(properties ?? {}))
        if (ids.test(name) && schema.type !== 'integer') expect([at, name, (schema.items ?? schema).format]).toEqual([at, name, 'uuid']);
  });

  test('names the enums of parameters', () => {
    for (const [path, { parameters = [] }] of operationsOf(documentOf()))
      for (const { name, schema, in: place } of parameters)
        if (place !== 'header' && name !== 'for') expect([path, name, schema.enum ?? schema.items?.enum]).toEqual([path, name, undefined]);
  });

  test('types bodies and parameters as generators need them', () => {
    const { schemas } = documentOf().components;
    expect(schemas.PatchOperation.properties.value).not.toHaveProperty('type');
    expect(schemas.Recovery).toMatchObject({ type: 'object', properties: { since: { type: 'string' }, after: { type: 'string' } } });
    expect(schemas.GrantType).toEqual({ type: 'string', enum: ['client_credentials'] });
    expect(schemas).not.toHaveProperty('Stream');
    const toggle = operationsOf(documentOf()).find(([, { operationId }]) => operationId === 'toggleWebhookEndpoint')?.[1];
    expect(toggle.parameters.find(({ name }: Document) => name === 'enabled').schema).toEqual({ type: 'boolean' });
    const { WebhookEndpoint, WebhookEndpointDraft } = schemas;
    expect(WebhookEndpoint.properties.url).toMatchObject({ type: 'string', format: 'uri' });
    expect(WebhookEndpointDraft.properties.url).toMatchObject({ type: 'string', format: 'uri' });
    expect(WebhookEndpoint.properties.events.items).toEqual(WebhookEndpointDraft.properties.events.items);
  });

  test('tells webhook events apart by payloadSchema', () => {
    const { oneOf, discriminator } = documentOf().components.schemas.WebhookEvent;
    expect(discriminator.propertyName).toBe('payloadSchema');
    expect(Object.values(discriminator.mapping).sort()).toEqual(oneOf.map(({ $ref }: Document) => $ref).sort());
    for (const [name, ref] of Object.entries<string>(discriminator.mapping)) {
      const envelope = documentOf().components.schemas[ref.replace('#/components/schemas/', '')];
      expect(envelope.properties.payloadSchema).toEqual({ type: 'string', enum: [name] });
    }
  });

  test('has bytes as binary text', () => {
    let seen = 0;
    for (const [at, object] of objectsIn(documentOf())) {
      if (!at.endsWith('content') || !('application/octet-stream' in object)) continue;
      expect(object['application/octet-stream']).toMatchObject({ schema: { type: 'string', format: 'binary' } });
      seen += 1;
    }
    expect(seen).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(documentOf())).not.toContain('"*/*"');
  });

  test('has patterns that their examples match', () => {
    let seen = 0;
    for (const [path, { parameters = [] }] of operationsOf(documentOf()))
      for (const { name, schema, example } of parameters) {
        if (!schema.pattern || example === undefined) continue;
        expect([path, name, new RegExp(schema.pattern).test(example)]).toEqual([path, name, true]);
        seen += 1;
      }
    expect(seen).toBeGreaterThan(0);
  });
});

describe('the document', () => {
  test('lists multipart first, for the Java generator', () => {
    expect(Object.keys(whole.paths['/http-gateway/api/v1/upload'].post.requestBody.content)[0]).toBe('multipart/form-data');
  });

  test('leaves the section webhooks out on request, and keeps its schemas', async () => {
    const { body } = await call(server.url, '/openapi.json?webhooks=false');
    expect(whole).toHaveProperty('webhooks');
    expect(body).not.toHaveProperty('webhooks');
    expect(body.components.schemas).toHaveProperty('WebhookEvent');
    expect((await call(server.url, '/openapi.json?webhooks=true')).text).toBe(JSON.stringify(whole));
  });
});

describe('the document for clients', () => {
  test('gives each operation at most one type of body and one type of answer', () => {
    for (const [path, { requestBody, responses }] of operationsOf(clients)) {
      expect([path, Object.keys(requestBody?.content ?? {}).length <= 1]).toEqual([path, true]);
      const successes = Object.entries<Document>(responses).filter(([status]) => Number(status) < 300);
      const types = new Set(successes.flatMap(([, { content = {} }]) => Object.keys(content)));
      expect([path, types.size <= 1]).toEqual([path, true]);
      expect(Object.keys(responses).some((status) => ['206', '304', '412', '416'].includes(status))).toBe(false);
    }
  });

  test('has an operation for each export format', () => {
    const exports = operationsOf(clients).flatMap(([path, { operationId }]) => (path.includes('/export/') ? [[path, operationId]] : []));
    const base = '/export-service/api/v1/export';
    expect(exports).toEqual([
      [`${base}/JSON`, 'exportJson'],
      [`${base}/TEXT`, 'exportText'],
      [`${base}/SRT`, 'exportSrt'],
      [`${base}/VTT`, 'exportVtt'],
      [`${base}/MD`, 'exportMd'],
      [`${base}/CSV`, 'exportCsv'],
      [`${base}/EVENTS`, 'exportEvents'],
      [`${base}/DOCX`, 'exportDocx'],
      [`${base}/ZIP`, 'exportZip'],
    ]);
  });

  test('uploads only octets, and has no WebSocket, no /v1 and no section webhooks', () => {
    const { content } = clients.paths['/http-gateway/api/v1/upload'].post.requestBody;
    expect(Object.keys(content)).toEqual(['application/octet-stream']);
    expect(schemaOf(clients, content['application/octet-stream'])).toMatchObject({ type: 'string', format: 'binary' });
    expect(Object.keys(clients.paths).filter((path) => /^\/(ws-gateway|v1)\b/.test(path))).toEqual([]);
    expect(clients).not.toHaveProperty('webhooks');
    for (const name of Object.keys(whole.components.schemas).filter((one) => /Webhook$|Event$/.test(one)))
      expect(clients.components.schemas, name).toHaveProperty(name);
  });

  test('has no headers that only proxies need', () => {
    const names = operationsOf(clients).flatMap(([, { parameters = [] }]) => parameters.map(({ name }: Document) => name));
    for (const name of ['Range', 'If-Range', 'If-None-Match']) expect(names).not.toContain(name);
    expect(names).toContain('Idempotency-Key');
  });

  test('has no other form', async () => {
    for (const form of ['servers', '', 'client']) {
      const { status, body } = await call(server.url, `/openapi.json?for=${form}`);
      expect([form, status, body.internalErrorName]).toEqual([form, 400, 'GENERAL_VALIDATION_ERROR']);
    }
  });
});
