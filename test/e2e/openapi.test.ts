import { request } from 'node:http';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AUDIT_SEALED, NAMED_TYPES } from '../../src/domain/webhookEndpoints/webhookEventTypes.ts';
import { eventually } from '../eventually.ts';
import { HELLO_HEARD, type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { Receiver } from '../receiver.ts';
import { type Answer, call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from './server.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  example?: unknown;
}
interface Content {
  schema?: object;
  examples?: Record<string, { value: unknown }>;
}
interface DocumentedResponse {
  $ref?: string;
  content?: Record<string, Content>;
  headers?: Record<string, { $ref: string } | { required: boolean }>;
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, DocumentedResponse>;
  security: object[];
}
interface Example {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** Name of the example of its body; empty without a body. */
  readonly name: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

type Document = Record<string, unknown>;

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
/** The document is one schema to the validator: `#/components/...` is resolved in it. */
const validators = (document: object): ((schema: object) => ValidateFunction) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'doc');
  return (schema) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/')));
};

/** Those of parameters, bodies and answers, and all named ones. */
const schemasIn = (document: Document): object[] => {
  const within = (value: unknown): object[] => {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) => (name === 'schema' ? [member] : within(member)));
  };
  const { schemas, ...components } = document.components as Record<string, object>;
  return [...Object.values(schemas ?? {}), ...within({ ...document, components })];
};

describe('the API document of a real server', () => {
  let speech: StubEngine;
  let server: RunningServer;
  // biome-ignore lint/suspicious/noExplicitAny: checked by assertions
  let document: any;
  let examples: Example[];

  beforeAll(async () => {
    speech = await startStubEngine();
    speech.always({ body: HELLO_HEARD });
    server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', SEAL_INTERVAL_S: '1', TRANSCRIBER_URL: speech.url } });
    ({ body: document } = await call(server.url, '/openapi.json', { key: null }));
    examples = examplesOf(document.paths);
  });
  afterAll(async () => {
    await server.kill();
    await speech.close();
  });

  test('is valid under the official meta-schema of OpenAPI 3.1', async () => {
    const result = await new Validator().validate(document);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  test('has only valid JSON Schemas', () => {
    const ajv = new Ajv2020();
    const schemas = schemasIn(document);
    expect(schemas.length).toBeGreaterThan(100);
    expect(schemas.flatMap((schema) => (ajv.validateSchema(schema) ? [] : [[schema, ajv.errors]]))).toEqual([]);
  });

  test('describes every operation and parameter', () => {
    for (const { operation } of examples) {
      expect(operation.summary, operation.operationId).toMatch(/\S/);
      expect(operation.description, operation.operationId).toMatch(/\S/);
      expect(operation.tags, operation.operationId).toHaveLength(1);
      for (const parameter of operation.parameters ?? [])
        expect(parameter, `${operation.operationId} ${parameter.name}`).toHaveProperty('description', expect.stringMatching(/\S/));
    }
    const described = document.tags.filter(({ description }: { description?: string }) => description);
    expect(described).toHaveLength(document.tags.length);
  });

  test('names and gives an example for every path parameter', () => {
    for (const { operation } of examples)
      for (const parameter of (operation.parameters ?? []).filter((one) => one.in === 'path'))
        expect(parameter, `${operation.operationId} ${parameter.name}`).toHaveProperty('example');
  });

  test('has examples that work, with answers as documented', { timeout: 60_000 }, async () => {
    const validator = validators(document);
    const known = new Map<string, string>();
    const failures: string[] = [];
    const receiver = await Receiver.start();
    onTestFinished(() => receiver.close());
    for (const example of inOrder(examples)) {
      const answer = await send(server.url, example, known, receiver.url('/examples'));
      const wrong = complaints(example, answer, document, validator);
      failures.push(...wrong);
      if (wrong.length === 0) learn(example, answer, known);
    }
    expect(failures).toEqual([]);
  });

  test('documents every type of webhook event as sent, full and slim', { timeout: 30_000 }, async () => {
    const receiver = await Receiver.start();
    // Alerts need an endpoint that fails for a minute: `documentedBodies.test.ts` has them.
    const isSentHere = (type: string) => !type.startsWith('endpoint.');
    const endpoint = { url: receiver.url('/all'), events: ['*', AUDIT_SEALED, ...NAMED_TYPES.filter(isSentHere)] };
    const { body } = await call(server.url, ENDPOINTS, { method: 'PUT', body: endpoint });
    await call(server.url, ENDPOINTS, { method: 'PUT', body: { ...endpoint, url: receiver.url('/slim'), payload: 'slim' } });
    await call(server.url, `${ENDPOINTS}/${body.id}/test`, { method: 'POST' });
    await makeEverythingHappen(server.url);
    const types = Object.keys(document.webhooks).filter(isSentHere);
    await eventually(() => expect([...new Set(receiver.types('/all'))].sort()).toEqual(types.toSorted()));
    const events = types.filter((type) => type !== 'ping');
    await eventually(() => expect([...new Set(receiver.types('/slim'))].sort()).toEqual(events.toSorted()));
    await receiver.close();
    const validator = validators(document);
    for (const { event, headers } of [...receiver.at('/all'), ...receiver.at('/slim')]) {
      const { parameters, requestBody } = document.webhooks[event.type].post;
      const validate = validator(requestBody.content['application/json'].schema);
      expect(validate(event) || [event, validate.errors]).toBe(true);
      const required = parameters.filter((one: { required: boolean }) => one.required).map(({ name }: { name: string }) => name);
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(required));
    }
  });
});

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';

/** A stream that completes and is deleted, one that fails, one whose client disconnects, and an edited transcript. */
const makeEverythingHappen = async (base: string): Promise<void> => {
  const { body: good } = await upload(base, { streamConfigurationTemplateId: PING_TEMPLATE }, 'hello');
  await streamEnd(base, good.streamId);
  await call(base, `/stream-service/api/v1/streams/${good.streamId}`, { method: 'DELETE' });
  await upload(base, { streamConfigurationTemplateId: TEXT_TEMPLATE, summary: 'true' }, new Uint8Array([0xff, 0xfe, 0xfd]));
  const { hostname, port } = new URL(base);
  const path = `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE}&id=${BROKEN}`;
  const headers = { authorization: `Basic ${ADMIN_KEY}`, 'content-type': 'application/octet-stream' };
  const outgoing = request({ hostname, port, path, method: 'POST', headers });
  outgoing.on('error', () => {});
  outgoing.write('half of it');
  await eventually(async () => expect((await call(base, `/stream-service/api/v1/streams/${BROKEN}`)).status).toBe(200));
  outgoing.destroy();
  await editTranscript(base);
};

const editTranscript = async (base: string): Promise<void> => {
  const { body: said } = await upload(base, { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE }, Buffer.alloc(64_000, 1));
  await streamEnd(base, said.streamId);
  const edited = await call(base, `/stream-service/api/v1/streams/${said.streamId}/transcript`, {
    method: 'PATCH',
    headers: { 'if-match': '*' },
    body: { edits: [{ op: 'text', utterance: 'u0', text: 'Good day.' }] },
  });
  expect([edited.status, edited.text]).toEqual([200, expect.any(String)]);
};

const BROKEN = 'b5e0c7d2-3a41-4f6b-8c9d-0e1f2a3b4c5d';

const examplesOf = (paths: Record<string, Record<string, Operation>>): Example[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? ofOperation(method.toUpperCase(), path, operation) : [];
    }),
  );

const ofOperation = (method: string, path: string, operation: Operation): Example[] => {
  const bodies = Object.entries(operation.requestBody?.content ?? {}).flatMap(([contentType, { examples = {} }]) =>
    Object.entries(examples).map(([name, { value }]) => ({ method, path, operation, name, contentType, body: value })),
  );
  if (operation.requestBody && bodies.length === 0) throw new Error(`${operation.operationId} has a body and no example of one`);
  return bodies.length > 0 ? bodies : [{ method, path, operation, name: '' }];
};

/** Operations that create come first, those that delete last. */
const FIRST = ['patchTemplate', 'issueCredential', 'upload', 'saveWebhookEndpoint', 'saveTemplate', 'saveProcessorDeclaration'];
const LATE = ['testWebhookEndpoint', 'findWebhookDeliveryPayload', 'resendWebhookDelivery', 'sendWebhookDeliveryNow', 'rotateCredential'];
const rank = ({ method, operation: { operationId } }: Example): number => {
  if (FIRST.includes(operationId)) return FIRST.indexOf(operationId) - FIRST.length;
  if (LATE.includes(operationId)) return 1 + LATE.indexOf(operationId);
  if (operationId === 'eraseSubject') return 10;
  return method === 'DELETE' ? 9 : 0;
};
const inOrder = (examples: readonly Example[]): Example[] => examples.toSorted((a, b) => rank(a) - rank(b));

/** Operations whose example cannot succeed here, with their possible answers. */
const REFUSED: Record<string, readonly number[]> = {
  ...{ cancelStream: [409], openWebSocket: [426], openWebSocketSlash: [426], openRealtime: [426] },
  ...{ useSignInLink: [403], endSession: [404], changeUser: [404], sendWebhookDeliveryNow: [202, 409] },
  ...{ findTranscript: [404], editTranscript: [404], undoTranscriptEdit: [404], findTranscriptEdits: [404] },
  // The headers of the protocol are not sent here.
  ...{ createResumableUpload: [412], continueResumableUpload: [412], overrideResumableUpload: [405], deleteResumableUpload: [412] },
  ...{ retrieveModel: [200, 404] },
};

/** Real ids and secrets replace those of the document. */
const learn = ({ operation: { operationId } }: Example, { body }: Answer, known: Map<string, string>): void => {
  if (operationId === 'issueCredential') known.set('credentialId', body.id).set('subject', body.subject);
  if (operationId === 'saveWebhookEndpoint') known.set('id', body.id);
  if (operationId === 'saveProcessorDeclaration') known.set('declarationId', body.id);
  if (operationId === 'saveVocabulary') known.set('vocabularyId', body.id);
  if (operationId === 'shareStream') known.set('shareId', body.id);
  if (operationId === 'saveTemplate') known.set('streamConfigurationTemplateId', body.id);
  if (operationId === 'testWebhookEndpoint') known.set('deliveryId', body.deliveryId);
  if (operationId === 'rerunStreams' && body.requestId !== null) known.set('requestId', body.requestId);
  if (operationId === 'findEvents') known.set('eventId', body.content[0].id);
};

/** Milliseconds. */
const PING_PATIENCE = 20_000;

/** Bodies of examples that need changes: a time must be in the server's future, and an endpoint must answer here. */
const replaced = (operationId: string, body: unknown, receiverUrl: string): unknown => {
  if (operationId === 'setStreamRetention') return { until: new Date(Date.now() + 4 * 3_600_000).toISOString() };
  if (operationId === 'saveWebhookEndpoint') return { ...(body as object), url: receiverUrl };
  return body;
};

const send = async (
  base: string,
  { method, path, operation, contentType, body }: Example,
  known: ReadonlyMap<string, string>,
  receiverUrl: string,
) => {
  const { parameters = [], security } = operation;
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const example = parameters.find((one) => one.in === 'path' && one.name === name)?.example;
    return encodeURIComponent(known.get(name) ?? String(example));
  });
  const query = new URLSearchParams();
  for (const one of parameters)
    if (one.in === 'query' && one.example !== undefined) for (const value of [one.example].flat()) query.append(one.name, String(value));
  const headers = contentType === undefined || contentType === 'multipart/form-data' ? {} : { 'content-type': contentType };
  const given = replaced(operation.operationId, body, receiverUrl);
  const encoded = given === undefined ? undefined : encode(contentType ?? '', given);
  const once = () =>
    call(base, `${target}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      headers,
      body: encoded,
      ...(security.length === 0 ? { key: null } : {}),
    });
  if (operation.operationId !== 'resendWebhookDelivery') return once();
  // The delivery must have ended first.
  return eventually(async () => {
    const answer = await once();
    expect(answer.status).not.toBe(409);
    return answer;
  }, PING_PATIENCE);
};

const encode = (contentType: string, body: unknown): string | FormData => {
  if (contentType === 'application/json') return JSON.stringify(body);
  if (contentType === 'multipart/form-data') return formOf(body as Record<string, string>);
  if (contentType !== 'application/x-www-form-urlencoded') return String(body);
  return new URLSearchParams({ ...(body as object), client_id: CLIENT_ID, client_secret: CLIENT_SECRET }).toString();
};

const formOf = (fields: Readonly<Record<string, string>>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, name === 'file' ? new File([value], 'speech.wav') : value);
  return form;
};

/** Differences of an answer from the document, a line each. */
const complaints = (example: Example, answer: Answer, document: Document, validator: (schema: object) => ValidateFunction): string[] => {
  const { operationId, responses } = example.operation;
  const wanted = REFUSED[operationId];
  if (wanted === undefined ? answer.status >= 300 : !wanted.includes(answer.status))
    return [`${operationId}: ${answer.status} ${answer.text}`];
  const found = responses[answer.status];
  if (!found) return [`${operationId}: ${answer.status} is not documented`];
  const response = found.$ref ? resolved<DocumentedResponse>(document, found.$ref) : found;
  const headers = Object.entries(response.headers ?? {}).filter(([name, header]) => {
    const { required } = '$ref' in header ? resolved<{ required: boolean }>(document, header.$ref) : header;
    return required && !answer.headers.has(name);
  });
  const missing = headers.map(([name]) => `${operationId}: no ${name}`);
  if (!response.content) return answer.text === '' ? missing : [...missing, `${operationId}: a body that is not documented`];
  const type = answer.headers.get('content-type') ?? '';
  const content = response.content[type] ?? response.content[type.split(';')[0] ?? ''];
  if (!content) return [...missing, `${operationId}: ${type} is not documented`];
  const validate = validator(content.schema ?? {});
  const bodies = bodiesOf(type, answer);
  const wrong = bodies.filter((body) => !validate(body));
  return [
    ...missing,
    ...wrong.map((body) => `${operationId}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`),
  ];
};

const bodiesOf = (type: string, { text, body }: Answer): unknown[] => {
  // The schema is that of an event's data.
  if (type.startsWith('text/event-stream')) return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  if (type !== 'application/x-ndjson') return [body ?? text];
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

const resolved = <Component>(document: Document, reference: string): Component =>
  reference
    .slice(2)
    .split('/')
    // biome-ignore lint/suspicious/noExplicitAny: walks a document that was validated
    .reduce((value: any, key) => value[key], document);
