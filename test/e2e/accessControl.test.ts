import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';
const VOCABULARIES = '/stream-configuration-service/api/v1/vocabularies';
const BULK_RERUN = '/stream-service/api/v1/streams/rerun';
/** Part of all of Alice's data, so that a leak is seen everywhere. */
const PLANTED = 'planted-by-alice';

/** Operations without a credential: health, metrics, API documents, signing in, and the upgrade, which checks its credential itself. */
const OPEN = [
  ...['exchangeToken', 'getTokenKeys', 'getOpenidConfiguration', 'getSupportedEvents', 'openWebSocket', 'openRealtime'],
  'useSignInLink',
  ...['getLiveness', 'getReadiness', 'getOpenapi', 'getAsyncapi', 'getDocs'],
];

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly isOpen: boolean;
  readonly needsRole: boolean;
}

interface User {
  readonly key: string;
  readonly credentialId: string;
  readonly subject: string;
}

let server: RunningServer;
let operations: readonly Operation[];
let alice: User;
let bob: User;
let hers: Readonly<Record<string, string>>;

/** Valid requests for Alice's resources, so that only the owner can be the reason for a refusal. */
const BODIES: Readonly<Record<string, object>> = {
  patchTemplate: { jsonPatches: [{ op: 'replace', path: 'processors/llm/properties/summary/properties/length', value: 'brief' }] },
  renameStream: { name: 'renamed' },
  editTranscript: { edits: [{ op: 'text', utterance: 'u0', text: PLANTED }] },
  setStreamsRetention: { filter: { state: 'FAILED' }, until: null },
  labelStreams: { filter: { state: 'FAILED' }, add: ['planted'] },
  setStreamRetention: { until: new Date(Date.now() + 4 * 3_600_000).toISOString() },
  saveVocabulary: { name: 'planted', terms: ['planted'] },
  rerunStreams: { filter: { state: 'FAILED' }, reason: PLANTED },
  recoverWebhookDeliveries: { since: new Date(Date.now() - 60_000).toISOString() },
};

/** Her stream is a ping, so these find no transcript. */
const OF_TRANSCRIPTS = ['findTranscript', 'editTranscript', 'undoTranscriptEdit', 'findTranscriptEdits'];
/** A key manages no credentials, not even its own: signIn.test.ts shows that people who are signed in manage theirs only. */
const OF_PEOPLE = ['getCredential', 'rotateCredential', 'revokeCredential'];
const TUS = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  continueResumableUpload: TUS,
  overrideResumableUpload: { ...TUS, 'x-http-method-override': 'HEAD' },
  deleteResumableUpload: TUS,
};

const newUser = async (label: string): Promise<User> => {
  const body = { kind: 'api-key', label, role: 'user' };
  const { body: made } = await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body });
  return { key: made.secret, credentialId: made.id, subject: made.subject };
};

/** One of each resource of a user, by the names of the parameters that identify it. */
const furnish = async ({ key, credentialId }: User): Promise<Record<string, string>> => {
  const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true', persistTags: PLANTED, name: PLANTED };
  const { body: stream } = await upload(server.url, query, PLANTED, { key });
  await streamEnd(server.url, stream.streamId);
  const draft = { name: PLANTED, dataSourceSchema: 'string', processors: [{ id: 'llm', processorDeclarationId: 'llm' }] };
  const { body: template } = await call(server.url, TEMPLATES, { method: 'PUT', body: draft, key });
  const settings = { url: `https://93.184.216.34/${PLANTED}`, events: ['stream.*'], description: PLANTED };
  const { body: endpoint } = await call(server.url, ENDPOINTS, { method: 'PUT', body: settings, key });
  const { body: ping } = await call(server.url, `${ENDPOINTS}/${endpoint.id}/test`, { method: 'POST', key });
  const words = { name: PLANTED, terms: [PLANTED] };
  const { body: vocabulary } = await call(server.url, VOCABULARIES, { method: 'PUT', body: words, key });
  const { body: share } = await call(server.url, `/stream-service/api/v1/streams/${stream.streamId}/shares`, {
    method: 'POST',
    body: {},
    key,
  });
  const { body: bulk } = await call(server.url, BULK_RERUN, { method: 'POST', body: BODIES.rerunStreams, key });
  return {
    ...{ requestId: bulk.requestId, attempt: '1', processorId: 'echo', vocabularyId: vocabulary.id, shareId: share.id },
    ...{ uploadId: stream.streamId, streamId: stream.streamId, groupId: stream.groupId, streamConfigurationTemplateId: template.id },
    ...{ id: endpoint.id, deliveryId: ping.deliveryId, enabled: 'true', credentialId },
  };
};

beforeAll(async () => {
  server = await startServer();
  const { body: document } = await call(server.url, '/openapi.json', { key: null });
  operations = Object.entries<Record<string, OpenApiOperation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, description, parameters = [] }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path: path.replace('{realm}', 'tributary'),
      query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      isOpen: security.length === 0 || security.some((one) => Object.keys(one).length === 0),
      needsRole: description.includes('Needs one of the roles'),
    })),
  );
  [alice, bob] = [await newUser(PLANTED), await newUser('bob')];
  hers = await furnish(alice);
}, 60_000);
afterAll(() => server.kill());

interface OpenApiOperation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly description: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ask = ({ id, method, path }: Operation, key: string | null, query = ''): Promise<Answer> => {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => hers[name] ?? UNKNOWN);
  const body = method === 'GET' || method === 'DELETE' ? undefined : (BODIES[id] ?? {});
  return call(server.url, target + query, { method, key, body, headers: HEADERS[id] ?? {} });
};

/** Operations on a user's resource by its id that need no other role than the user's. */
const aboutHers = (): readonly Operation[] =>
  operations.filter(({ path, needsRole }) => !needsRole && Object.keys(hers).some((name) => path.includes(`{${name}}`)));

/** Status codes, other than success, that her own key may get. */
const refusalOf = ({ id }: Operation): number => {
  if (OF_PEOPLE.includes(id)) return 403;
  return OF_TRANSCRIPTS.includes(id) ? 404 : 409;
};

test('every operation without a credential is 401, except the open ones', async () => {
  expect(operations.filter(({ isOpen }) => isOpen).map(({ id }) => id)).toEqual(expect.arrayContaining(OPEN));
  expect(operations.filter(({ isOpen }) => isOpen)).toHaveLength(OPEN.length);
  // /metrics is open to programs on this machine: test/e2e/metrics.test.ts covers its refusals.
  const closed = operations.filter(({ id, isOpen }) => !isOpen && id !== 'getMetrics');
  expect(closed.length).toBeGreaterThan(40);
  for (const operation of closed) {
    const { status, text } = await ask(operation, null);
    expect([operation.id, status]).toEqual([operation.id, 401]);
    expect(text, operation.id).not.toContain(PLANTED);
  }
});

test('every operation that needs a role is 403 for a user, with any parameters', async () => {
  // /metrics is open to programs on this machine, like this one: test/e2e/metrics.test.ts covers its refusals.
  const restricted = operations.filter(({ id, needsRole }) => needsRole && id !== 'getMetrics');
  expect(restricted.length).toBeGreaterThan(12);
  for (const operation of restricted) expect([operation.id, (await ask(operation, bob.key)).status]).toEqual([operation.id, 403]);
});

describe("a user's data", () => {
  test('is 403 or 404 for another user in every operation, even by its id, and neither shown nor changed', async () => {
    expect(aboutHers().length).toBeGreaterThan(20);
    for (const operation of aboutHers()) {
      const { status, text } = await ask(operation, bob.key);
      const message = `${operation.id} answered ${status} instead of 403 or 404. If it is 400, add a valid body of ${operation.id} to BODIES in this file.`;
      expect([403, 404], message).toContain(status);
      expect(text, operation.id).not.toContain(PLANTED);
    }
    const stream = await call(server.url, `/stream-service/api/v1/streams/${hers.streamId}`, { key: alice.key });
    expect(stream.body).toMatchObject({ name: PLANTED, state: 'COMPLETED' });
  });

  test('is not in lists, exports, reports and live results of another user', async () => {
    const tried = [
      '',
      `?group=${hers.groupId}`,
      `?streams=${hers.streamId}`,
      `?tags=${PLANTED}`,
      `?q=${PLANTED}`,
      `?streamIds=${hers.streamId}`,
    ];
    const lists = operations.filter(
      ({ method, isOpen, needsRole, path }) => method === 'GET' && !isOpen && !needsRole && !/\{(?!format)/.test(path),
    );
    expect(lists.length).toBeGreaterThan(7);
    for (const operation of lists)
      for (const query of tried) {
        const path = operation.path.replace('{format}', 'RAW');
        const { text } = await ask({ ...operation, path }, bob.key, `${query}${query ? '&' : '?'}timeout=1`);
        expect(text, `${operation.id}${query}`).not.toContain(PLANTED);
        expect(text, `${operation.id}${query}`).not.toContain(alice.subject);
      }
  });

  test('is 403 for another user who names the owner as the subject', async () => {
    const named = operations.filter(({ query, needsRole, method }) => query.includes('subject') && !needsRole && method !== 'PUT');
    expect(named.length).toBeGreaterThan(8);
    for (const operation of named)
      expect([operation.id, (await ask(operation, bob.key, `?subject=${alice.subject}`)).status]).toEqual([operation.id, 403]);
  });

  test('is not overwritten when another user names its id', async () => {
    const draft = {
      id: hers.streamConfigurationTemplateId,
      name: 'mine now',
      processors: [{ id: 'echo', processorDeclarationId: 'echo' }],
    };
    const endpoint = { id: hers.id, url: 'https://93.184.216.34/mine', events: ['*'] };
    for (const [path, body] of [
      [TEMPLATES, draft],
      [ENDPOINTS, endpoint],
    ] as const)
      expect((await call(server.url, path, { method: 'PUT', body, key: bob.key })).status, path).toSatisfy(
        (status) => status === 403 || status === 404,
      );
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, groupId: hers.groupId ?? '' };
    expect((await upload(server.url, query, 'x', { key: bob.key })).status).toBe(404);
  });

  test('is available to its owner in every operation that others are refused', async () => {
    const order = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];
    for (const operation of aboutHers().toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))) {
      const { status, text } = await ask(operation, alice.key);
      expect([operation.id, status, text.slice(0, 200)]).toEqual([
        operation.id,
        expect.toSatisfy((one: number) => one < 400 || one === refusalOf(operation)),
        expect.any(String),
      ]);
    }
  });
});
