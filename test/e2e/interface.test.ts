import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { speech, speechEngineIsHere } from '../speech.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from './server.ts';

/** Every row of the public interface's field tables, compared with the answers of a running server. */

interface FieldTable {
  readonly table: string;
  readonly rows: readonly { readonly row: string; readonly type: string; readonly nullable?: boolean }[];
}

// Our own file; `test/unit/interfaceCoverage.test.ts` looks into its form.
const { tables } = JSON.parse(readFileSync('test/interfaceCoverage.json', 'utf8')) as { tables: readonly FieldTable[] };

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const TOKEN = '/realms/tributary/protocol/openid-connect/token';

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);
const TYPES: Readonly<Record<string, string>> = { integer: 'number', long: 'number', StreamConfiguration: 'object', DataSource: 'object' };
const wanted = (type: string): string => {
  if (type.startsWith('array')) return 'array';
  const [word = type] = type.split(' ');
  return TYPES[word] ?? (/^[A-Z]/.test(word) ? 'object' : word);
};

/** Fails unless every row of the table is a member of the value, with its type (or null where allowed). */
const hasEveryField = (table: string, value: unknown): void => {
  const rows = tables.find((one) => one.table === table)?.rows ?? expect.fail(`no table ${table}`);
  expect(rows.length).toBeGreaterThan(0);
  for (const { row, type, nullable = false } of rows) {
    expect(value, table).toHaveProperty([row]);
    const found = typeOf(Object(value)[row]);
    if (!(nullable && found === 'null')) expect(found, `${table}.${row}`).toBe(wanted(type));
  }
};

let server: RunningServer;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
});
afterAll(async () => {
  await server.kill();
  await receiver.close();
});

const json = async (path: string, init = {}) => (await call(server.url, path, init)).body;
const ping = async (query: Record<string, string> = {}) =>
  (await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, ...query }, 'hello')).body;

describe('a resource', () => {
  test('WebhookEndpoint has every field', async () => {
    const body = { url: receiver.url('/fields'), events: ['stream.ready'], description: 'of the test' };
    hasEveryField('WebhookEndpoint', await json(ENDPOINTS, { method: 'PUT', body }));
  });

  test('WebhookEvent has every field', async () => {
    await json(ENDPOINTS, { method: 'PUT', body: { url: receiver.url('/event'), events: ['stream.ready'] } });
    await ping();
    await eventually(() => receiver.at('/event').length > 0);
    hasEveryField('WebhookEvent', receiver.at('/event')[0]?.event);
  });

  test('ErrorResponse has every field', async () => {
    hasEveryField('ErrorResponse', await json('/stream-service/api/v1/streams/none'));
    const { body } = await call(server.url, ENDPOINTS, { method: 'PUT', body: {} });
    for (const nested of body.nestedErrors) hasEveryField('ErrorResponse', nested);
  });

  test('Token response and token error has every field', async () => {
    const asked = (secret: string) =>
      json(TOKEN, {
        method: 'POST',
        key: null,
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: secret }),
      });
    hasEveryField('Token response and token error', { ...(await asked(CLIENT_SECRET)), ...(await asked('wrong')) });
  });

  test('Stream has every field', async () => hasEveryField('Stream', await ping()));

  test('StreamConfiguration has every field', async () => hasEveryField('StreamConfiguration', (await ping()).configuration));

  test('DataSource and destination has every field', async () => {
    const { dataSource, processors } = (await ping()).configuration;
    hasEveryField('DataSource and destination', dataSource);
    hasEveryField('DataSource and destination', processors[0].destination);
  });

  test('StreamProcessor has every field', async () => {
    const [processor] = (await ping()).configuration.processors;
    hasEveryField('StreamProcessor', processor);
    expect(processor.source).toMatchObject({
      subscription: expect.any(String),
      topic: expect.any(String),
      messageSchema: 'bytes',
      connectionOptions: expect.any(Object),
      headers: expect.any(Object),
    });
  });

  test('Egress has every field', async () => hasEveryField('Egress', (await ping()).configuration.processors[0].egress));

  test('StreamConfigurationTemplate has every field', async () => {
    hasEveryField('StreamConfigurationTemplate', await json(`${TEMPLATES}/${PING_TEMPLATE}`));
  });

  test('TemplateProcessor has every field', async () => {
    for (const processor of (await json(`${TEMPLATES}/${DIARIZATION_TEMPLATE}`)).processors) hasEveryField('TemplateProcessor', processor);
  });

  test('ProcessorDeclaration has every field', async () => {
    const { processors } = await json(`${TEMPLATES}/${DIARIZATION_TEMPLATE}`);
    hasEveryField('ProcessorDeclaration', processors[0].processorDeclaration);
    const { support, require, implement, requireSupport } = processors[0].processorDeclaration.features;
    expect([support, require, implement, requireSupport].every(Array.isArray)).toBe(true);
  });

  test('Page has every field', async () => {
    const page = await json(TEMPLATES);
    hasEveryField('Page', page);
    expect(Object.keys(page.pageable).sort()).toEqual(['offset', 'pageNumber', 'pageSize', 'paged', 'sort', 'unpaged']);
    expect(Object.keys(page.sort).sort()).toEqual(['empty', 'sorted', 'unsorted']);
  });

  test('StreamUsage has every field', async () => {
    const { streamId } = await ping();
    await streamEnd(server.url, streamId);
    const usage = await json(`/usage-service/api/v1/usage/streams/${streamId}?currency=USD`);
    hasEveryField('StreamUsage', usage);
  });

  test('ProcessorUsage has every field', async () => {
    const { streamId } = await ping();
    await streamEnd(server.url, streamId);
    const { processors } = await json(`/usage-service/api/v1/usage/streams/${streamId}`);
    hasEveryField('ProcessorUsage', processors[0]);
  });
});

describe.skipIf(!(await speechEngineIsHere()))('an export of a two-channel call', () => {
  // biome-ignore lint/suspicious/noExplicitAny: checked by assertions, which fail on a wrong shape
  let result: any;
  beforeAll(async () => {
    const stereo = await speech([
      [{ text: 'hello this is wonderful' }],
      [{ text: 'goodbye this was a terrible day', voice: 'rms', after: 2500 }],
    ]);
    const asked = { splitStereo: 'true', summary: 'true', sentimentAnalysis: 'true', ask0: 'What was it?' };
    const { body } = await upload(
      server.url,
      { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, persist: 'true', ...asked },
      new Uint8Array(stereo),
    );
    await streamEnd(server.url, body.streamId);
    result = await json(`/export-service/api/v1/export/JSON?streams=${body.streamId}`);
  });

  test('Export result has every field', () => {
    // Enhanced transcription needs a language model: its shape is that of `transcription`, tested in engines.test.ts.
    hasEveryField('Export result', { ...result, enhancedTranscription: {} });
    expect(result.summary.content.length).toBeGreaterThan(0);
  });

  test('Word has every field', () => {
    for (const word of result.transcription.words) hasEveryField('Word', word);
  });

  test('Utterance has every field', () => {
    expect(result.utterances.length).toBeGreaterThan(1);
    for (const utterance of result.utterances) hasEveryField('Utterance', utterance);
  });

  test('SentimentSegment has every field', () => {
    for (const segment of result.sentimentAnalysis.segments) hasEveryField('SentimentSegment', segment);
  });

  test('SentimentSummary has every field', () => {
    hasEveryField('SentimentSummary', result.sentimentAnalysis.summary);
    const [channel] = result.sentimentAnalysis.summary.channels;
    expect(Object.keys(channel).sort()).toEqual([
      ...['averageScore', 'channel', 'negativeCount', 'neutralCount', 'positiveCount', 'sentiment'],
    ]);
  });
});

describe('an upload', () => {
  test('has the id, name and group of its query, and the template', async () => {
    const [id, groupId] = [randomUUID(), randomUUID()];
    expect(await ping({ id, groupId, name: 'A name' })).toMatchObject({
      streamId: id,
      groupId,
      name: 'A name',
      configuration: { streamConfigurationTemplateId: PING_TEMPLATE },
    });
  });

  test.each([
    ['all sinks', {}, true],
    ['no sink', { persist: 'false' }, false],
    ['a sink with one of the tags', { persistTags: 'echo' }, true],
    ['no sink with another tag', { persistTags: 'other' }, false],
    ['not one that has not all tags', { persistTags: ['echo', 'other'], matchPersistTags: 'ALL' }, false],
    ['one that has any of them', { persistTags: ['echo', 'other'], matchPersistTags: 'ANY' }, true],
  ])('persists %s, as its query says', async (_, given, persistent) => {
    const query = new URLSearchParams({ streamConfigurationTemplateId: PING_TEMPLATE });
    const pairs = Object.entries({ persist: 'true', ...given }).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one] as const),
    );
    for (const [name, value] of pairs) query.append(name, value);
    const { body } = await call(server.url, `/http-gateway/api/v1/upload?${query}`, { method: 'POST', body: 'hello' });
    expect(body.configuration.processors[0].egress.persist).toBe(persistent);
  });

  test('is refused with an empty list of tags', async () => {
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true', persistTags: '' };
    expect((await upload(server.url, query, 'x')).status).toBe(400);
  });
});

test.each([
  ['headers X-Client-Id and X-Client-Secret', { headers: { 'x-client-id': CLIENT_ID, 'x-client-secret': CLIENT_SECRET } }, ''],
  ['the query client_id and client_secret', {}, `client_id=${CLIENT_ID}&client_secret=${CLIENT_SECRET}`],
  ['the header Authorization: Basic <API_KEY>', { headers: { authorization: `Basic ${ADMIN_KEY}` } }, ''],
  ['the query access_token with a key', {}, `access_token=${ADMIN_KEY}`],
])('a caller can authenticate by %s', async (_, init, query) => {
  const { streamId } = await ping();
  expect((await call(server.url, `/stream-service/api/v1/streams/${streamId}?${query}`, { ...init, key: null })).status).toBe(200);
});

test('an access token is accepted in the header and in the query', async () => {
  const form = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
  const { access_token } = await json(TOKEN, { method: 'POST', key: null, body: new URLSearchParams(form) });
  const { streamId } = await ping();
  expect((await getStream(server.url, streamId, { key: null, headers: { authorization: `Bearer ${access_token}` } })).status).toBe(200);
  expect((await getStream(server.url, `${streamId}?access_token=${access_token}`, { key: null })).status).toBe(200);
});
