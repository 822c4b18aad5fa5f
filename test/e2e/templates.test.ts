import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Tributary } from '../../clients/typescript/src/index.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const REPORT = '/usage-service/api/v1/usage/report';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.kill());

/** An API key of a new user. */
const newUser = async (): Promise<{ key: string; subject: string }> => {
  const { body } = await call(server.url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label: 'a user', role: 'user' },
  });
  return { key: body.secret, subject: body.subject };
};

/** The commands of one section of a guide, block by block. */
const commandsOf = (page: string, section: string): string[] => {
  const guide = readFileSync(new URL(`../../docs/guides/${page}.md`, import.meta.url), 'utf8');
  const text = guide.slice(guide.indexOf(`## ${section}\n`)).split(/^## /m)[1] ?? '';
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands);
};

const MARK = '--- next block ---';

/** Output of each block, all run by one shell in an empty directory, like a reader would. */
const typed = async (blocks: readonly string[], key: string): Promise<string[]> => {
  const script = ['set -eu', `BASE=${server.url}`, `auth="Authorization: Basic ${key}"`, blocks.join(`\necho; echo '${MARK}'\n`)].join(
    '\n',
  );
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: temporaryDirectory() });
  return stdout.split(MARK).map((text) => text.trim());
};

describe('a user with the commands of the guide', () => {
  test('creates a template, uploads with it, patches it, reads the old version, deletes it', async () => {
    const { key } = await newUser();
    const answers = await typed(commandsOf('templates', 'Templates of your own'), key);
    expect(answers).toHaveLength(10);
    const [declarations, created, stream, dryRun, patched, first, conflict, overlay] = answers.slice(0, 8).map((text) => JSON.parse(text));
    const [overlayDeleted, deleted] = answers.slice(8);
    expect(declarations.content.map(({ id }: { id: string }) => id)).toContain('llm');
    expect(created).toMatchObject({ name: 'Meeting notes', version: 1, origin: 'own' });
    expect(stream.configuration).toMatchObject({
      streamConfigurationTemplateId: created.id,
      processors: [{ id: 'notes', properties: { summary: { enabled: true }, askAnything: { 0: { content: 'Who called?' } } } }],
    });
    const lengthOf = (template: typeof created) => [template.version, template.processors[0].properties.summary.properties.length];
    expect([dryRun, patched, first].map(lengthOf)).toEqual([
      [2, 'detailed'],
      [2, 'detailed'],
      [1, 'brief'],
    ]);
    expect(conflict).toMatchObject({ statusCode: 409, internalErrorName: 'GENERAL_CONFLICT_ERROR' });
    expect(overlay).toMatchObject({
      id: TEXT_TEMPLATE,
      version: 1,
      origin: 'copy',
      processors: [{ properties: { summary: { enabled: true } } }],
    });
    expect([overlayDeleted, deleted]).toEqual(['', '']);
    expect((await call(server.url, `${TEMPLATES}/${created.id}`, { key })).status).toBe(404);
    const builtIn = (await call(server.url, `${TEMPLATES}/${TEXT_TEMPLATE}`, { key })).body;
    expect(builtIn).toMatchObject({ origin: 'built-in', processors: [{ properties: { summary: { enabled: false } } }] });
    // Running streams are not affected.
    const ended = await streamEnd(server.url, stream.streamId);
    expect(ended).toMatchObject({ state: 'COMPLETED', configuration: { streamConfigurationTemplateId: created.id } });
    const { text } = await call(server.url, `/export-service/api/v1/export/TEXT?streams=${stream.streamId}`, { key });
    expect(text).toContain('Ben will send the offer on Monday.');
  });

  test('requests reports', async () => {
    const { key } = await newUser();
    const [thisMonth, halfYear] = (await typed(commandsOf('cost', 'Usage report'), key)).map((text) => JSON.parse(text));
    expect(thisMonth).toMatchObject({ granularity: 'DAYS', currency: null, totalMeasurements: { credits: '0', streamsCount: 0 } });
    expect(halfYear).toMatchObject({ granularity: 'MONTHS', currency: 'EUR', startTimestamp: '2026-01-01T00:00:00.000Z' });
    expect(halfYear.aggregatedMeasurements).toHaveLength(6);
  });
});

describe('the name of a template', () => {
  const save = (key: string, name: string) =>
    call(server.url, TEMPLATES, { method: 'PUT', body: { name, processors: [{ id: 'echo', processorDeclarationId: 'echo' }] }, key });
  const listed = async (key: string, template: string) =>
    (await call(server.url, `/stream-service/api/v1/streams?streamConfigurationTemplateId=${template}`, { key })).body.totalElements;

  test('is taken where its id is, in uploads and filters', async () => {
    const { key } = await newUser();
    const own = (await save(key, 'My calls')).body.id;
    for (const [name, id] of [
      ['ping', PING_TEMPLATE],
      ['My calls', own],
      [own, own],
    ] as const) {
      const { status, body } = await upload(server.url, { streamConfigurationTemplateId: name }, 'x', { key });
      expect([status, body.configuration.streamConfigurationTemplateId]).toEqual([200, id]);
    }
    expect([await listed(key, 'ping'), await listed(key, PING_TEMPLATE), await listed(key, 'My%20calls')]).toEqual([1, 1, 2]);
    expect((await call(server.url, `${TEMPLATES}/ping`, { key })).status).toBe(404);
  });

  test('is taken over a WebSocket', async () => {
    const { key } = await newUser();
    const own = (await save(key, 'My calls')).body.id;
    const tributary = new Tributary({ url: server.url, credential: { apiKey: key } });
    for (const [name, id] of [
      ['ping', PING_TEMPLATE],
      ['My calls', own],
    ] as const) {
      const session = await tributary.session({ template: name });
      expect(session.stream.configuration.streamConfigurationTemplateId).toBe(id);
      session.close();
    }
  });

  test('is refused if several of their own have it', async () => {
    const { key } = await newUser();
    for (let n = 0; n < 2; n += 1) await save(key, 'Twice');
    const { status, body } = await upload(server.url, { streamConfigurationTemplateId: 'Twice' }, 'x', { key });
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^You have 2 templates named "Twice"\. Give the id of one: /)]);
  });

  test('does not hide the built-in one of the same name', async () => {
    const { key } = await newUser();
    await save(key, 'ping');
    const { body } = await upload(server.url, { streamConfigurationTemplateId: 'ping' }, 'x', { key });
    expect(body.configuration.streamConfigurationTemplateId).toBe(PING_TEMPLATE);
  });
});

describe('the usage report', () => {
  test("is the sum of the usage of the user's streams, as soon as they have ended", async () => {
    const { key, subject } = await newUser();
    const streams: string[] = [];
    for (const template of [TEXT_TEMPLATE, TEXT_TEMPLATE, PING_TEMPLATE]) {
      const parameters = { streamConfigurationTemplateId: template, ...(template === TEXT_TEMPLATE ? { summary: 'true' } : {}) };
      const { body } = await upload(server.url, parameters, 'Ana called. '.repeat(2_000), { key });
      streams.push(body.streamId);
      await streamEnd(server.url, body.streamId);
    }
    const report = async (query = '') => (await call(server.url, `${REPORT}${query}`, { key })).body;
    const usages = await Promise.all(streams.map((id) => call(server.url, `/usage-service/api/v1/usage/streams/${id}`, { key })));
    const processors = usages.flatMap(({ body }) => body.processors);
    const { totalMeasurements, operationTypeAggregatedMeasurements } = await report();
    // At most six decimals, and small: whole millionths are exact.
    const micros = processors.reduce((sum, { credits }) => sum + Math.round(Number(credits) * 1e6), 0);
    expect(micros).toBeGreaterThan(0);
    expect(Math.round(Number(totalMeasurements.credits) * 1e6)).toBe(micros);
    expect(totalMeasurements.streamsCount).toBe(3);
    const read = processors.reduce((sum, { ingressSize }) => sum + ingressSize, 0);
    expect(totalMeasurements.measurements.ingressSize).toBe(read);
    expect(operationTypeAggregatedMeasurements.map(({ operationType }: { operationType: string }) => operationType)).toEqual([
      'LLM_PROCESSING',
      'NO_OPERATION',
    ]);
    expect((await call(server.url, `${REPORT}?subject=${subject}`)).body.totalMeasurements).toMatchObject({ streamsCount: 3 });
    expect((await getStream(server.url, streams[0] ?? '', { key })).status).toBe(200);
  });
});
