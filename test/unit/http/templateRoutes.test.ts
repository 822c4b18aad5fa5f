import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from './gateway/gatewayServer.ts';

const PING = '65f46430c6d8985974ff9c9d';
const TRANSCRIPTION = '668115d123bca7e3509723d4';
const TEXT = '7472696275746172790a7478';
const PATH = '/stream-configuration-service/api/v1/stream-configuration-templates';

// biome-ignore lint/suspicious/noExplicitAny: checked by assertions, which fail on a wrong shape
type Body = any;

let gateway: Awaited<ReturnType<typeof startGateway>>;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tributary-templates-'));
  gateway = await startGateway(directory, { limits: { schemaTimeoutMs: 500 } });
});
afterAll(async () => {
  await gateway.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A caller of their own. */
const someone = (role: 'user' | 'admin' = 'user') => {
  const subject = randomUUID();
  const ask = async (method: string, path: string, { body, headers = {} }: Asked = {}) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { 'x-subject': subject, 'x-role': role, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer: Body = text === '' ? null : JSON.parse(text);
    return { status: response.status, etag: response.headers.get('etag'), body: answer, text };
  };
  const events = () => gateway.log.readStream(`templates-${subject}`);
  return {
    subject,
    ask,
    get: (id: string, query = '') => ask('GET', `${PATH}/${id}${query}`),
    list: (query = '?size=100') => ask('GET', `${PATH}${query}`),
    put: (body: unknown, query = '', headers = {}) => ask('PUT', `${PATH}${query}`, { body, headers }),
    patch: (id: string, jsonPatches: unknown, query = '', headers = {}) =>
      ask('PATCH', `${PATH}/${id}${query}`, { body: { jsonPatches }, headers }),
    remove: (id: string, headers = {}, query = '') => ask('DELETE', `${PATH}/${id}${query}`, { headers }),
    upload: async (id: string, query = '') => {
      const response = await fetch(`${gateway.url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=${id}${query}`, {
        method: 'POST',
        headers: { 'x-subject': subject, 'content-type': 'application/octet-stream' },
        body: 'some text',
      });
      return { status: response.status, body: (await response.json()) as Body };
    },
    types: async () => (await events()).map(({ type }) => type),
  };
};

const BUILTIN = '?scope=builtin';
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const llm = (changes: object = {}) => ({ id: 'llm', processorDeclarationId: 'llm', ...changes });
const draft = (changes: object = {}) => ({ name: 'Mine', dataSourceSchema: 'string', processors: [llm()], ...changes });
const refusal = ({ status, body }: { status: number; body: Body }) => [status, body.internalErrorName];

describe('PUT', () => {
  test('without id (absent, null or empty) creates a template, with defaults for missing members', async () => {
    const me = someone();
    const { status, body, etag } = await me.put(draft());
    expect([status, etag]).toEqual([200, '"user-1"']);
    expect(body).toMatchObject({ name: 'Mine', description: null, version: 1, dataSourceSchema: 'string', patchAliases: {} });
    expect(body.id).toMatch(/^[0-9a-f]{24}$/);
    expect(body.processors[0]).toMatchObject({
      id: 'llm',
      previousProcessorId: null,
      properties: {},
      propertiesSchema: 'tech.vatis.schema.stream.processor.properties.llm.LlmPropertiesDto',
      destinationTopicHeaders: {},
      egress: { persist: false, sink: false, tags: [] },
      processorDeclaration: { id: 'llm', operationType: 'LLM_PROCESSING' },
    });
    expect((await me.get(body.id)).body).toEqual(body);
    for (const id of [null, '']) expect((await me.put({ ...draft(), id })).body.id).not.toBe(body.id);
  });

  test('with the id of an own template updates it, by processorDeclarationId or by the embedded declaration', async () => {
    const me = someone();
    const { body } = await me.put(draft());
    const { processorDeclaration } = body.processors[0];
    const updated = await me.put({ ...draft({ name: 'Other' }), id: body.id, processors: [{ id: 'llm', processorDeclaration }] });
    expect([updated.status, updated.etag]).toEqual([200, '"user-2"']);
    expect(updated.body).toMatchObject({ id: body.id, version: 2, name: 'Other', processors: [{ processorDeclaration: { id: 'llm' } }] });
  });

  test('accepts what GET returned; members set by the platform are ignored', async () => {
    const me = someone();
    const { body } = await me.put(draft());
    expect(await me.put(body)).toMatchObject({ status: 200, body, etag: '"user-1"' });
    const forged = structuredClone(body);
    Object.assign(forged, { version: 99, creatorId: 'x', processors: [{ ...forged.processors[0], propertiesSchema: 'x' }] });
    forged.processors[0].processorDeclaration = { id: 'llm', displayName: 'forged', propertiesJsonSchema: true, operationType: 'FREE' };
    expect((await me.put(forged)).body).toEqual(body);
    const builtin = (await me.get(TRANSCRIPTION)).body;
    const copy = await me.put({ ...builtin, id: null });
    expect(copy.body).toEqual({ ...builtin, id: copy.body.id, version: 1, origin: 'own' });
  });

  test("of an unknown id, of another's template and of a built-in one by a user is 403", async () => {
    const [me, other] = [someone(), someone()];
    const { body } = await me.put(draft());
    for (const id of ['0123456789abcdef01234567', '__proto__', 'x'.repeat(300), body.id, PING])
      expect(refusal(await other.put({ ...draft(), id }))).toEqual([403, 'GENERAL_AUTHORIZATION_ERROR']);
    expect(await other.types()).toEqual([]);
  });

  test('with invalid fields is 400 with a nested error for each', async () => {
    const { status, body } = await someone().put({ name: 7, processors: [{ id: 1, egress: { tags: ['no spaces please'] } }] });
    expect([status, body.internalErrorName]).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
    expect(body.nestedErrors.map(({ message }: { message: string }) => message.split(':')[0])).toEqual(
      expect.arrayContaining(['name', 'processors.0.id', 'processors.0.egress.tags.0']),
    );
    for (const bad of [
      draft({ name: '' }),
      draft({ name: 'x'.repeat(256) }),
      draft({ processors: [llm({ properties: 7 })] }),
      [],
      null,
      'x',
    ])
      expect((await someone().put(JSON.stringify(bad))).body.internalErrorName).toBe('GENERAL_VALIDATION_ERROR');
  });

  test.each([
    ['no processor', draft({ processors: [] }), 'processors: at least one'],
    ['no processors at all', { name: 'x' }, 'processors: at least one'],
    [
      'a cycle',
      draft({ processors: [llm({ id: 'a', previousProcessorId: 'b' }), llm({ id: 'b', previousProcessorId: 'a' })] }),
      'processors[1]: previousProcessorId: the chain has a cycle through this processor',
    ],
    ['a processor behind itself', draft({ processors: [llm({ previousProcessorId: 'llm' })] }), 'processors[0]: previousProcessorId'],
    ['an unknown previousProcessorId', draft({ processors: [llm({ previousProcessorId: 'nobody' })] }), 'unknown processor "nobody"'],
    ['an empty previousProcessorId', draft({ processors: [llm({ previousProcessorId: '' })] }), 'unknown processor ""'],
    ['an id twice', draft({ processors: [llm(), llm()] }), 'processors[1]: the id "llm" is used twice'],
    ['a malformed id', draft({ processors: [llm({ id: '1llm' })] }), 'processors[0]: "1llm" is not a valid processor id'],
    ['an empty id', draft({ processors: [llm({ id: '' })] }), 'processors[0]: "" is not a valid processor id'],
    ['an id with a slash', draft({ processors: [llm({ id: 'a/b' })] }), 'is not a valid processor id'],
    ['an id with a line break', draft({ processors: [llm({ id: 'a\n' })] }), 'is not a valid processor id'],
    ['schemas that do not fit the source', draft({ processors: [llm()], dataSourceSchema: 'bytes' }), 'processors[0]: takes'],
    [
      'schemas that do not fit in the chain',
      draft({ processors: [llm(), { id: 'echo', processorDeclarationId: 'echo', previousProcessorId: 'llm' }] }),
      'processors[1]: takes bytes',
    ],
    [
      'a source that no upload is',
      draft({ dataSourceSchema: 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto' }),
      'dataSourceSchema',
    ],
    [
      'an unknown declaration',
      draft({ processors: [llm({ processorDeclarationId: 'constructor' })] }),
      'unknown declaration "constructor"',
    ],
    ['no declaration', draft({ processors: [{ id: 'llm' }] }), 'has no declaration'],
    ['two declarations', draft({ processors: [llm({ processorDeclaration: { id: 'echo' } })] }), 'differ'],
  ])('refuses a template that cannot run with the mistake and its place: %s', async (_, body, message) => {
    const me = someone();
    const answer = await me.put(body);
    expect(refusal(answer)).toEqual([400, 'STREAM_CONFIGURATION_BAD_TEMPLATE']);
    expect(answer.body.nestedErrors.map((nested: Body) => nested.message).join('\n')).toContain(message);
    expect(await me.types()).toEqual([]);
  });

  test('with several mistakes names each', async () => {
    const { body } = await someone().put(draft({ processors: [llm({ id: '1' }), llm({ processorDeclarationId: 'x' }), llm()] }));
    expect(body.nestedErrors).toHaveLength(3);
  });

  test.each([
    ['points at nothing', draft({ processors: [llm({ patchAliases: { on: 'properties/nothing' } })] })],
    ['leaves the properties', draft({ processors: [llm({ patchAliases: { on: 'name' } })] })],
    ['of the template names no processor', draft({ patchAliases: { on: 'processors/other/properties/summary/enabled' } })],
    ['has a slash', draft({ processors: [llm({ patchAliases: { 'a/b': 'properties/summary/enabled' } })] })],
    ['is empty', draft({ patchAliases: { '': 'processors/llm/properties/summary/enabled' } })],
    ['reaches a prototype', draft({ processors: [llm({ patchAliases: { on: 'properties/constructor/name' } })] })],
  ])('with an alias that %s is STREAM_CONFIGURATION_BAD_PATCH_ALIAS', async (_, body) => {
    expect(refusal(await someone().put(body))).toEqual([400, 'STREAM_CONFIGURATION_BAD_PATCH_ALIAS']);
  });

  test('with bad properties is PROCESSOR_PROPERTIES_VALIDATION_ERROR', async () => {
    for (const properties of [{ unknown: 1 }, { summary: { enabled: 'true' } }, { askAnything: { 3: {} } }])
      expect(refusal(await someone().put(draft({ processors: [llm({ properties })] })))).toEqual([
        400,
        'PROCESSOR_PROPERTIES_VALIDATION_ERROR',
      ]);
  });

  test('accepts several roots, in any order, with aliases of processors and template, and the template runs', async () => {
    const me = someone();
    const { body } = await me.put(
      draft({
        patchAliases: { top: 'processors/second/properties/sentimentAnalysis/enabled' },
        processors: [
          llm({ id: 'first', patchAliases: { both: 'properties/summary/enabled' } }),
          llm({ id: 'second', patchAliases: { both: '/properties/summary/enabled' }, egress: { sink: true, tags: ['mine'] } }),
        ],
      }),
    );
    const { status, body: stream } = await me.upload(body.id, '&both=true&top=true');
    expect(status).toBe(200);
    const [first, second] = stream.configuration.processors;
    expect([first.properties, second.properties]).toEqual([
      { summary: { enabled: true } },
      { summary: { enabled: true }, sentimentAnalysis: { enabled: true } },
    ]);
    expect(second.egress.tags).toEqual(['mine', 'second', 'main']);
    expect((await someone().upload(body.id)).status).toBe(404);
  });

  test('is limited to 50 processors, 64 KiB, and 1 MiB of body', async () => {
    const me = someone();
    const many = Array.from({ length: 51 }, (_, n) => llm({ id: `p${n}` }));
    expect((await me.put(draft({ processors: many.slice(1) }))).status).toBe(200);
    expect(refusal(await me.put(draft({ processors: many })))).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
    const large = (size: number) => draft({ processors: [llm({ sourceSubscriptionHeaders: { x: 'x'.repeat(size) } })] });
    expect((await me.put(large(60_000))).status).toBe(200);
    expect(refusal(await me.put(large(65_536)))).toEqual([400, 'STREAM_CONFIGURATION_BAD_TEMPLATE']);
    expect((await me.put(large(1_100_000))).status).toBe(413);
  });

  test('is 400 for a number that JSON cannot represent', async () => {
    const me = someone();
    const body = JSON.stringify(draft({ processors: [llm({ sourceSubscriptionHeaders: { n: 12345 } })] })).replace('12345', '1e999');
    expect(refusal(await me.put(body))).toEqual([400, 'GENERAL_BAD_REQUEST_ERROR']);
  });
});

describe('PATCH', () => {
  test("by a user makes a private overlay under the same id, used in that user's list and uploads", async () => {
    const [me, other] = [someone(), someone()];
    const builtin = (await me.get(TEXT)).body;
    const { status, body, etag } = await me.patch(TEXT, [replace('/processors/llm/properties/summary/enabled', true)]);
    expect([status, etag, body.version, body.id]).toEqual([200, '"user-1"', 1, TEXT]);
    expect(body.processors[0].properties.summary.enabled).toBe(true);
    expect((await me.get(TEXT)).body).toEqual(body);
    const list = (await me.list()).body;
    expect(list.totalElements).toBe(7);
    expect(list.content.find(({ id }: { id: string }) => id === TEXT)).toEqual(body);
    expect((await me.upload(TEXT)).body.configuration.processors[0].properties.summary.enabled).toBe(true);
    expect((await other.get(TEXT)).body).toEqual(builtin);
    expect((await other.upload(TEXT)).body.configuration.processors[0].properties.summary.enabled).toBe(false);
  });

  test('accepts items as objects and as text that contains an object or an array', async () => {
    const item = replace('summary', true);
    for (const patches of [[item], [JSON.stringify(item)], [JSON.stringify([item])]])
      expect((await someone().patch(TEXT, patches)).body.processors[0].properties.summary.enabled).toBe(true);
  });

  test('with dryRun=true, like PUT, answers the result and appends nothing', async () => {
    const me = someone();
    const { body } = await me.patch(TEXT, [replace('summary', true)], '?dryRun=true');
    expect([body.version, body.processors[0].properties.summary.enabled]).toEqual([1, true]);
    expect((await me.put(draft(), '?dryRun=true')).body).toMatchObject({ name: 'Mine', version: 1 });
    expect((await me.get(TEXT)).etag).toBe('"builtin-1"');
    expect(await me.types()).toEqual([]);
    expect((await me.patch(TEXT, [replace('summary', true)], '?dryRun=yes')).status).toBe(400);
  });

  test('raises the version with each change, and every version stays readable', async () => {
    const me = someone();
    for (const enabled of [true, true, false, true]) await me.patch(TEXT, [replace('summary', enabled)]);
    const seen = async (version: number) => (await me.get(TEXT, `?version=${version}`)).body.processors?.[0].properties.summary.enabled;
    expect([await seen(1), await seen(2), await seen(3), await seen(4)]).toEqual([true, false, true, undefined]);
    expect((await me.get(TEXT, '?version=2')).etag).toBe('"user-2"');
    for (const version of ['4', '1000000000']) expect((await me.get(TEXT, `?version=${version}`)).status).toBe(404);
    for (const version of ['0', '-1', 'x', '1&version=2']) expect((await me.get(TEXT, `?version=${version}`)).status).toBe(400);
  });

  test("of another's or an unknown template is 404", async () => {
    const { body } = await someone().put(draft());
    for (const id of [body.id, 'nope', '__proto__', '..%2f..'])
      expect(refusal(await someone().patch(id, [replace('summary', true)]))).toEqual([404, 'GENERAL_NOT_FOUND_ERROR']);
  });

  test.each([
    ['outside the properties', [replace('/langs', 'x')], 'Forbidden patch: /langs'],
    ['in dots', [replace('name.x', 'x')], 'Forbidden patch: /name/x'],
    ['the processor itself', [replace('processors/llm/name', 'x')], 'Forbidden patch: /processors/llm/name'],
    ['another op', [{ op: 'move', from: '/a', path: 'summary' }], 'Forbidden patch: /summary'],
    ['an object as value', [replace('summary', {})], 'Forbidden patch: /summary'],
    ['remove of what is missing', [{ op: 'remove', path: 'ask0' }], 'Forbidden patch: /ask0'],
    ['a prototype', [replace('processors/llm/properties/__proto__/x', 1)], 'Forbidden patch: /processors/llm/properties/__proto__/x'],
    ['no object', [7], 'Forbidden patch: /'],
  ])('with a forbidden patch (%s) is STREAM_CONFIGURATION_BAD_PATCH and changes nothing', async (_, patches, message) => {
    const me = someone();
    const { status, body } = await me.patch(TEXT, [replace('summary', true), ...patches]);
    expect([status, body.internalErrorName, body.title, body.message]).toEqual([
      400,
      'STREAM_CONFIGURATION_BAD_PATCH',
      'Invalid stream configuration',
      message,
    ]);
    expect(await me.types()).toEqual([]);
  });

  test('to properties that fail their schema is PROCESSOR_PROPERTIES_VALIDATION_ERROR', async () => {
    expect(refusal(await someone().patch(TEXT, [replace('summary', 'true')]))).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
  });

  test('without jsonPatches is 400, and with an empty list changes nothing', async () => {
    const me = someone();
    for (const body of [{}, { jsonPatches: {} }, { jsonPatches: 'x' }, []])
      expect(refusal(await me.ask('PATCH', `${PATH}/${TEXT}`, { body }))).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
    expect((await me.patch(TEXT, [])).etag).toBe('"builtin-1"');
    expect(await me.types()).toEqual([]);
  });

  test('is refused if it makes the template too large', async () => {
    const me = someone();
    const { body } = await me.put(draft({ processors: [llm({ sourceSubscriptionHeaders: { x: 'x'.repeat(50_000) } })] }));
    const patches = [replace('processors/llm/properties/askAnything/0/content', 'x'.repeat(20_000))];
    expect(refusal(await me.patch(body.id, patches))).toEqual([400, 'STREAM_CONFIGURATION_BAD_TEMPLATE']);
  });

  test("makes one version for each of a user's simultaneous patches and loses none", async () => {
    const me = someone();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => me.patch(TEXT, [replace('ask0', `question ${n}`)])));
    expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });
});

describe('DELETE', () => {
  test('of an own template is 204, after which it is unknown', async () => {
    const me = someone();
    const { body } = await me.put(draft());
    expect(await me.remove(body.id)).toMatchObject({ status: 204, text: '' });
    expect([(await me.get(body.id)).status, (await me.remove(body.id)).status, (await me.upload(body.id)).status]).toEqual([404, 404, 404]);
    expect((await me.get(body.id, '?version=1')).status).toBe(404);
    expect(refusal(await me.put(body))).toEqual([403, 'GENERAL_AUTHORIZATION_ERROR']);
  });

  test('of an overlay restores the built-in template', async () => {
    const me = someone();
    await me.patch(TEXT, [replace('summary', true)]);
    expect((await me.remove(TEXT)).status).toBe(204);
    expect((await me.get(TEXT)).etag).toBe('"builtin-1"');
    expect((await me.upload(TEXT)).body.configuration.processors[0].properties.summary.enabled).toBe(false);
  });

  test("of a built-in one is 403, of another's or an unknown one 404", async () => {
    const { body } = await someone().put(draft());
    for (const role of ['user', 'admin'] as const) expect((await someone(role).remove(PING)).status).toBe(403);
    expect([(await someone().remove(body.id)).status, (await someone().remove('nope')).status]).toEqual([404, 404]);
  });
});

describe('If-Match', () => {
  const when = (tag: string) => ({ 'if-match': tag });

  test('is 409 for PUT, PATCH and DELETE if it does not match, and changes nothing', async () => {
    const me = someone();
    const { body } = await me.put(draft());
    for (const tag of ['"user-2"', '"builtin-1"', 'W/"user-2"', 'user-1', '', '"a", "b"'])
      for (const answer of [
        await me.put({ ...body, name: 'x' }, '', when(tag)),
        await me.patch(body.id, [replace('processors/llm/properties/summary/enabled', true)], '', when(tag)),
        await me.remove(body.id, when(tag)),
      ])
        expect(refusal(answer)).toEqual([409, 'GENERAL_CONFLICT_ERROR']);
    expect(await me.types()).toEqual(['TemplateSaved']);
    expect((await me.put(draft(), '', when('*'))).status).toBe(409);
  });

  test('allows the request if it matches or is *', async () => {
    const me = someone();
    expect((await me.patch(TEXT, [replace('summary', true)], '', when('"builtin-1"'))).status).toBe(200);
    expect((await me.put({ ...draft(), id: TEXT }, '', when('"x", W/"user-1"'))).etag).toBe('"user-2"');
    expect((await me.remove(TEXT, when('*'))).status).toBe(204);
  });

  test('lets only one of several writers with the same tag succeed', async () => {
    const me = someone();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => me.patch(TEXT, [replace('ask0', `${n}`)], '', when('"builtin-1"'))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });
});

describe('the built-in templates', () => {
  test('are changed by an admin with scope=builtin for everyone without an overlay', async () => {
    const [admin, me, withOverlay] = [someone('admin'), someone(), someone()];
    await withOverlay.patch(TEXT, [replace('ask0', 'mine')]);
    const patched = await admin.patch(TEXT, [replace('sentimentAnalysis', true)], BUILTIN);
    expect([patched.status, patched.etag, patched.body.version, patched.body.origin]).toEqual([200, '"builtin-2"', 2, 'built-in']);
    expect((await me.get(TEXT)).body).toEqual(patched.body);
    expect((await me.get(TEXT, '?version=1')).body.processors[0].properties.sentimentAnalysis.enabled).toBe(false);
    expect((await withOverlay.get(TEXT)).body.processors[0].properties).toMatchObject({
      sentimentAnalysis: { enabled: false },
      askAnything: { 0: { content: 'mine' } },
    });
    const replaced = await admin.put({ ...patched.body, name: 'Renamed' }, BUILTIN);
    expect([replaced.etag, (await me.get(TEXT)).body.name]).toEqual(['"builtin-3"', 'Renamed']);
    expect((await withOverlay.remove(TEXT)).status).toBe(204);
    expect((await withOverlay.get(TEXT)).etag).toBe('"builtin-3"');
    expect(await admin.types()).toEqual([]);
    expect((await admin.remove(TEXT, {}, BUILTIN)).status).toBe(204);
    const restored = await me.get(TEXT);
    expect(restored.etag).toBe('"builtin-4"');
    expect({ ...restored.body, version: 1 }).toEqual((await me.get(TEXT, '?version=1')).body);
    expect((await admin.remove(TEXT, {}, BUILTIN)).status).toBe(204);
    expect((await me.get(TEXT)).etag).toBe('"builtin-4"');
  });

  test('get a private overlay if an admin patches them without a scope', async () => {
    const [admin, me] = [someone('admin'), someone()];
    const { body: before } = await me.get(PING);
    const patched = await admin.patch(TRANSCRIPTION, [replace('summary', true)]);
    expect([patched.etag, patched.body.origin]).toEqual(['"user-1"', 'copy']);
    expect((await me.get(TRANSCRIPTION)).body.processors[1].properties.summary.enabled).toBe(false);
    expect(refusal(await admin.put({ ...before, name: 'Mine' }))).toEqual([403, 'GENERAL_AUTHORIZATION_ERROR']);
    expect((await admin.remove(TRANSCRIPTION)).status).toBe(204);
    expect((await admin.get(TRANSCRIPTION)).body.origin).toBe('built-in');
    expect((await admin.remove(TRANSCRIPTION)).status).toBe(403);
  });

  test('are changed for everyone even if the admin has an overlay', async () => {
    const [admin, me] = [someone('admin'), someone()];
    await admin.patch(TRANSCRIPTION, [replace('summary', true)]);
    const shown = await admin.patch(TRANSCRIPTION, [replace('sentimentAnalysis', true)], `${BUILTIN}&dryRun=true`);
    expect([shown.etag, shown.body.processors[1].properties.summary.enabled]).toEqual(['"builtin-2"', false]);
    expect((await me.get(TRANSCRIPTION)).etag).toBe('"builtin-1"');
  });

  test('cannot be changed for everyone by a user', async () => {
    const me = someone();
    const { body } = await me.get(PING);
    for (const answer of [await me.patch(PING, [], BUILTIN), await me.put(body, BUILTIN), await me.remove(PING, {}, BUILTIN)])
      expect(refusal(answer)).toEqual([403, 'GENERAL_AUTHORIZATION_ERROR']);
  });

  test('are the only ones with the scope builtin', async () => {
    const admin = someone('admin');
    const { body } = await admin.put(draft());
    expect(refusal(await admin.patch(body.id, [replace('summary', true)], BUILTIN))).toEqual([404, 'GENERAL_NOT_FOUND_ERROR']);
    expect(refusal(await admin.remove(body.id, {}, BUILTIN))).toEqual([404, 'GENERAL_NOT_FOUND_ERROR']);
    expect(refusal(await admin.put(body, BUILTIN))).toEqual([403, 'GENERAL_AUTHORIZATION_ERROR']);
    expect(refusal(await admin.put(draft(), BUILTIN))).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
    expect(refusal(await admin.patch(PING, [], '?scope=mine'))).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
  });

  test('check If-Match against their own state with the scope builtin', async () => {
    const admin = someone('admin');
    const stale = { 'if-match': '"user-1"' };
    expect((await admin.patch(PING, [], BUILTIN, stale)).status).toBe(409);
    expect((await admin.remove(PING, { 'if-match': '"builtin-1"' }, BUILTIN)).status).toBe(204);
  });
});

describe('clients of the hosted service', () => {
  test.each(['x-vat-meta-template-patch', 'x-template-patch'])('see a template with the patches of the header %s', async (header) => {
    const me = someone();
    const patches = JSON.stringify([replace('summary', true), replace('processors.llm.properties.summary.properties.length', 'detailed')]);
    const shown = await me.ask('GET', `${PATH}/${TEXT}`, { headers: { [header]: patches } });
    expect([shown.status, shown.etag]).toEqual([200, null]);
    expect(shown.body.processors[0].properties.summary).toMatchObject({ enabled: true, properties: { length: 'detailed' } });
    expect(await me.types()).toEqual([]);
    const forbidden = await me.ask('GET', `${PATH}/${TEXT}`, { headers: { [header]: JSON.stringify(replace('/name', 'x')) } });
    expect(refusal(forbidden)).toEqual([400, 'STREAM_CONFIGURATION_BAD_PATCH']);
  });

  test('may write enum values in any case', async () => {
    const me = someone();
    const patched = await me.patch(TEXT, [replace('summaryTone', 'Conversational'), replace('summaryStructure', 'BULLET_POINTS')]);
    expect(patched.body.processors[0].properties.summary.properties).toMatchObject({ tone: 'conversational', structure: 'bullet_points' });
    const saved = await me.put(draft({ processors: [llm({ properties: { summary: { properties: { length: 'Detailed' } } } })] }));
    expect(saved.body.processors[0].properties.summary.properties.length).toBe('detailed');
    expect(refusal(await me.patch(TEXT, [replace('summaryTone', 'Formal')]))).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
    const { status, body } = await me.upload(
      TEXT,
      '&summary=true&summaryLength=DETAILED&summary.language=German&summary.flushInterval=2000',
    );
    expect(status).toBe(200);
    expect(body.configuration.processors[0].properties.summary).toMatchObject({
      language: 'German',
      flushInterval: 2000,
      properties: { length: 'detailed' },
    });
  });

  test('may patch the language and flushInterval of a summary by path', async () => {
    const path = 'processors/llm/properties/summary';
    const { status, body } = await someone().patch(TEXT, [replace(`${path}/language`, 'de'), replace(`${path}/flushInterval`, 500)]);
    expect([status, body.processors[0].properties.summary.language]).toEqual([200, 'de']);
  });
});

describe('lists', () => {
  test('are newest first and stable under paging', async () => {
    const me = someone();
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) made.unshift((await me.put(draft({ name }))).body.id);
    const pages = await Promise.all([0, 1, 2, 3, 4].map((page) => me.list(`?size=2&page=${page}`)));
    const ids = pages.flatMap(({ body }) => body.content.map(({ id }: { id: string }) => id));
    expect(ids.slice(0, 3)).toEqual(made);
    expect([ids.length, new Set(ids).size]).toEqual([10, 10]);
    for (const query of ['?size=0', '?size=101', '?page=-1', '?size=x']) expect((await me.list(query)).status).toBe(400);
  });
});

describe('the list of another', () => {
  test('is shown to admins only, who may write the id in any case', async () => {
    const me = someone();
    const { id } = (await me.put(draft())).body;
    for (const subject of [me.subject, me.subject.toUpperCase()])
      expect((await someone('admin').list(`?subject=${subject}`)).body.content[0].id).toBe(id);
    expect((await someone().list(`?subject=${me.subject}`)).status).toBe(403);
  });
});

describe('any template', () => {
  const nasty = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'llm', 'processors', '', '\u0000', '\ud800', 'a/b', '~0', '~2', 'x'.repeat(300)),
    fc.string(),
  );
  const member = fc.constantFrom(
    'id',
    'name',
    'description',
    'processorDeclarationId',
    'processorDeclaration',
    'previousProcessorId',
    'properties',
    'patchAliases',
    'egress',
    'sourceSubscriptionHeaders',
  );
  const processor = fc.dictionary(member, fc.oneof(nasty, fc.jsonValue()));
  const template = fc.record(
    {
      name: fc.oneof(fc.constant('n'), fc.jsonValue()),
      id: fc.oneof(fc.constant(null), nasty),
      dataSourceSchema: fc.oneof(fc.constantFrom('bytes', 'string'), fc.jsonValue()),
      processors: fc.oneof(
        fc.array(fc.oneof(processor, fc.record({ id: nasty, processorDeclarationId: fc.constantFrom('llm', 'echo', 'x') }))),
        fc.jsonValue(),
      ),
      patchAliases: fc.dictionary(nasty, fc.oneof(nasty, fc.jsonValue())),
    },
    { requiredKeys: ['name'] },
  );
  const DOCUMENTED: Readonly<Record<number, readonly string[]>> = {
    400: [
      'GENERAL_VALIDATION_ERROR',
      'GENERAL_BAD_REQUEST_ERROR',
      'STREAM_CONFIGURATION_BAD_TEMPLATE',
      'STREAM_CONFIGURATION_BAD_PATCH',
      'STREAM_CONFIGURATION_BAD_PATCH_ALIAS',
      'PROCESSOR_PROPERTIES_VALIDATION_ERROR',
    ],
    403: ['GENERAL_AUTHORIZATION_ERROR'],
  };

  const expectDocumented = async (me: ReturnType<typeof someone>, answer: { status: number; body: Body }) => {
    if (answer.status === 200) return;
    expect(DOCUMENTED[answer.status] ?? [answer.status]).toContain(answer.body.internalErrorName);
    expect(await me.types()).toEqual([]);
  };

  test('in PUT is answered with 200 and can be PUT back, or with a documented error and stores nothing', async () => {
    await fc.assert(
      fc.asyncProperty(template, async (body) => {
        const me = someone();
        const answer = await me.put(body);
        await expectDocumented(me, answer);
        if (answer.status === 200) expect((await me.put(answer.body)).body).toEqual(answer.body);
      }),
      { numRuns: 150 },
    );
  });

  test('in PATCH is answered with 200, or with a documented error and stores nothing', async () => {
    const patch = fc.record({
      op: fc.constantFrom('add', 'replace', 'remove', 'test'),
      path: fc.oneof(nasty, fc.constantFrom('summary', 'ask0')),
      value: fc.jsonValue(),
    });
    const item = fc.oneof(
      patch,
      patch.map((one) => JSON.stringify(one)),
      fc.jsonValue(),
      nasty,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 4 }), async (items) => {
        const me = someone();
        await expectDocumented(me, await me.patch(TEXT, items));
      }),
      { numRuns: 150 },
    );
  });
});

describe('response formats of a template', () => {
  const asking = (specification: string) => ({ content: 'Which?', responseFormat: { specification } });
  const withFormats = (count: number, specification: (n: number) => string) =>
    draft({
      processors: Array.from({ length: Math.ceil(count / 3) }, (_, p) => ({
        ...llm({ id: `llm${p}` }),
        properties: {
          askAnything: Object.fromEntries(
            [0, 1, 2].filter((n) => p * 3 + n < count).map((n) => [String(n), asking(specification(p * 3 + n))]),
          ),
        },
      })),
    });
  const distinct = (n: number) => JSON.stringify({ type: 'object', title: `format ${n}` });

  test('takes 20 and rejects 21, and 135', async () => {
    const { put } = someone();
    expect((await put(withFormats(20, distinct))).status).toBe(200);
    for (const count of [21, 135]) {
      const { status, body } = await put(withFormats(count, distinct));
      expect([status, body.internalErrorName]).toEqual([400, 'STREAM_CONFIGURATION_BAD_TEMPLATE']);
      expect(body.message).toContain(`${count} response formats; at most 20`);
    }
  });

  test('rejects a format that cannot be compiled, in PUT and PATCH, and stores nothing', async () => {
    const { put, patch, types } = someone();
    const wrong = '{"$ref":"#/nowhere"}';
    for (const { status, body } of [
      await put(withFormats(1, () => wrong)),
      await put(
        withFormats(1, () => wrong),
        '?dryRun=true',
      ),
      await patch(TEXT, [replace('/processors/llm/properties/askAnything/0/responseFormat/specification', wrong)]),
    ]) {
      expect([status, body.internalErrorName]).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
      expect(body.message).toContain('/askAnything/0/responseFormat/specification is not a JSON Schema as text');
    }
    expect(await types()).toEqual([]);
  });

  test('rejects a format whose compilation takes longer than SCHEMA_TIMEOUT_MS', async () => {
    const { put } = someone();
    const costly = { allOf: Array.from({ length: 1_500 }, (_, n) => ({ pattern: `${n}\\p{L}{1000}` })) };
    const { status, body } = await put(withFormats(1, () => JSON.stringify(costly)));
    expect([status, body.internalErrorName]).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
    expect(body.message).toContain('needs too much time or memory');
  });
});

describe('runnable', () => {
  test('gives for each template, in lists and singly, the reason why an upload would be refused', async () => {
    const me = someone();
    const refused = await me.upload(TRANSCRIPTION);
    expect(refusal(refused)).toEqual([503, 'PROCESSOR_FAILED_RESERVATION_ERROR']);
    const list: Body[] = (await me.list()).body.content;
    const runnable = (id: string) => list.find((template) => template.id === id)?.runnable;
    expect(runnable(TRANSCRIPTION)).toEqual({ ok: false, reason: refused.body.message });
    expect(runnable(PING)).toEqual({ ok: true, reason: null });
    expect((await me.get(TRANSCRIPTION)).body.runnable).toEqual(runnable(TRANSCRIPTION));
    expect((await me.get(PING)).body.runnable).toEqual(runnable(PING));
  });

  test('names what an upload with settings that no engine here can do would be refused with', async () => {
    const me = someone();
    const patches = JSON.stringify([replace('enhancedTranscription', true)]);
    const asUploaded = await me.ask('GET', `${PATH}/${TEXT}`, { headers: { 'X-Template-Patch': patches } });
    const refused = await me.upload(TEXT, '&enhancedTranscription=true');
    expect(refused.body.internalErrorName).toBe('PROCESSOR_FEATURE_ERROR');
    expect([asUploaded.status, asUploaded.body.runnable]).toEqual([200, { ok: false, reason: refused.body.message }]);
  });

  test('leaves the list readable when a template of the caller asks for what no engine here can do', async () => {
    const me = someone();
    const saved = await me.put(draft({ processors: [llm({ properties: { enhancedTranscription: { enabled: true } } })] }));
    const { status, body } = await me.list();
    const own = body.content.find(({ id }: Body) => id === saved.body.id);
    expect([saved.status, status, own.runnable.ok]).toEqual([200, 200, false]);
  });

  test('is ignored in requests', async () => {
    const me = someone();
    const { body } = await me.put(draft());
    const sentBack = await me.put({ ...body, runnable: { ok: false, reason: 'Made up.' } });
    expect([sentBack.status, sentBack.body.runnable]).toEqual([200, { ok: true, reason: null }]);
    const events = await gateway.log.readStream(`templates-${me.subject}`);
    expect(JSON.stringify(events.map(({ data }) => data))).not.toContain('Made up.');
  });
});
