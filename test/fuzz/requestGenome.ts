import fc from 'fast-check';
import { TEXT_TEMPLATE } from '../e2e/client.ts';

/** A request of the search: an operation, and JSON of `atom` repeated `count` times, nested `depth` times. */
export interface Genome {
  readonly operation: string;
  readonly atom: string;
  readonly count: number;
  readonly depth: number;
  readonly as: 'list' | 'members' | 'text';
}

export interface BuiltRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
  /** Sent over a WebSocket that is opened at the path. */
  readonly message?: string;
}

const MOST_CHARACTERS = 1_048_000;
const MOST_DEPTH = 70;
const CONFIGURATION = '/stream-configuration-service/api/v1';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const json = (method: string, path: string, body: string): BuiltRequest => ({ method, path, headers: JSON_TYPE, body });
const get = (path: string): BuiltRequest => ({ method: 'GET', path, headers: {}, body: null });
const message = (path: string, text: string): BuiltRequest => ({ ...get(path), message: text });
const templateWith = (member: string, value: string): string =>
  `{"name":"slow","processors":[{"id":"a","processorDeclarationId":"echo","${member}":${value}}]}`;

const OPERATIONS: Readonly<Record<string, (value: string) => BuiltRequest>> = {
  'template with headers': (value) =>
    json('PUT', `${CONFIGURATION}/stream-configuration-templates`, templateWith('destinationTopicHeaders', value)),
  'template with properties': (value) =>
    json(
      'PUT',
      `${CONFIGURATION}/stream-configuration-templates`,
      `{"name":"slow","dataSourceSchema":"string","processors":[{"id":"a","processorDeclarationId":"llm","properties":{"askAnything":${value}}}]}`,
    ),
  'template with a response format': (value) =>
    json(
      'PUT',
      `${CONFIGURATION}/stream-configuration-templates`,
      `{"name":"slow","dataSourceSchema":"string","processors":[{"id":"a","processorDeclarationId":"llm","properties":{"askAnything":{"0":{"content":"x","responseFormat":{"specification":${JSON.stringify(value)}}}}}}]}`,
    ),
  'template with aliases': (value) => json('PUT', `${CONFIGURATION}/stream-configuration-templates`, templateWith('patchAliases', value)),
  'template with processors': (value) =>
    json('PUT', `${CONFIGURATION}/stream-configuration-templates`, `{"name":"slow","processors":${value}}`),
  'patches of a template': (value) =>
    json('PATCH', `${CONFIGURATION}/stream-configuration-templates/${TEXT_TEMPLATE}`, `{"jsonPatches":${value}}`),
  'patch with a value': (value) =>
    json(
      'PATCH',
      `${CONFIGURATION}/stream-configuration-templates/${TEXT_TEMPLATE}`,
      `{"jsonPatches":[{"op":"add","path":"/processors/llm/properties/askAnything","value":${value}}]}`,
    ),
  'processor with a schema': (value) =>
    json(
      'PUT',
      `${CONFIGURATION}/processor-declarations`,
      `{"name":"slow","url":"https://example.com/","mode":"batch","inputSchema":"bytes","outputSchema":"bytes","propertiesJsonSchema":${value}}`,
    ),
  'processor with defaults': (value) =>
    json(
      'PUT',
      `${CONFIGURATION}/processor-declarations`,
      `{"name":"slow","url":"https://example.com/","mode":"batch","inputSchema":"bytes","outputSchema":"bytes","defaultProperties":${value}}`,
    ),
  'webhook endpoint': (value) =>
    json('PUT', '/notification-service/api/v1/webhook-endpoints', `{"url":"https://example.com/","events":${value}}`),
  'any body': (value) => json('PUT', '/notification-service/api/v1/webhook-endpoints', value),
  'upload with a configuration': (value) => {
    const form = new FormData();
    form.append('configuration', new Blob([`{"patches":${value}}`], { type: 'application/json' }));
    form.append('file', new Blob(['x']), 'file');
    return { method: 'POST', path: `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TEXT_TEMPLATE}`, headers: {}, body: form };
  },
  'upload with patches in the query': (value) => ({
    method: 'POST',
    path: `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TEXT_TEMPLATE}&ask0=${encodeURIComponent(value.slice(0, 8_000))}`,
    headers: {},
    body: 'x',
  }),
  'search of streams': (value) => ({
    method: 'GET',
    path: `/stream-service/api/v1/streams?size=100&nameContains=${encodeURIComponent(value.slice(0, 200))}`,
    headers: {},
    body: null,
  }),
  'filters of streams': (value) =>
    get(
      `/stream-service/api/v1/streams?size=100&state=COMPLETED&state=FAILED&name=${encodeURIComponent(value.slice(0, 200))}&since=2020-01-01`,
    ),
  'reruns with patches': (value) =>
    json('POST', '/stream-service/api/v1/streams/rerun', `{"filter":{"state":"COMPLETED"},"dryRun":true,"patches":${value}}`),
  'reruns of named streams': (value) => json('POST', '/stream-service/api/v1/streams/rerun', `{"filter":{"streamIds":${value}}}`),
  'upload from a link': (value) =>
    json('POST', `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TEXT_TEMPLATE}`, `{"url":${value}}`),
  'upload to a group': (value) => ({
    method: 'POST',
    path: `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TEXT_TEMPLATE}&groupId=6b3f9b1e-0000-4000-8000-000000000007&name=${encodeURIComponent(value.slice(0, 200))}`,
    headers: {},
    body: 'x',
  }),
  'group of streams': () => get('/stream-service/api/v1/groups/6b3f9b1e-0000-4000-8000-000000000007'),
  'list of templates': () => get(`${CONFIGURATION}/stream-configuration-templates?size=100`),
  'list of processors': () => get(`${CONFIGURATION}/processor-declarations?size=100`),
  'list of streams': () => get('/stream-service/api/v1/streams?size=100'),
  'deep page of streams': (value) => get(`/stream-service/api/v1/streams?size=1&page=${value.length % 10_000}`),
  'report of usage': () => get('/usage-service/api/v1/usage/report?granularity=HOURS'),
  'configuration message': (value) =>
    message(
      `/ws-gateway/api/v1?streamConfigurationTemplateId=${TEXT_TEMPLATE}&configurationMessage=true`,
      `{"type":"CONFIGURATION","patches":${value}}`,
    ),
  'any message': (value) => message(`/ws-gateway/api/v1?streamConfigurationTemplateId=${TEXT_TEMPLATE}`, value),
  'session of realtime': (value) => message('/v1/realtime?intent=transcription', `{"type":"session.update","session":${value}}`),
  'audio of realtime': (value) => message('/v1/realtime?intent=transcription', `{"type":"input_audio_buffer.append","audio":${value}}`),
  'form of a token': (value) => ({
    method: 'POST',
    path: '/realms/tributary/protocol/openid-connect/token',
    headers: FORM_TYPE,
    body: value.replaceAll(',', '&').slice(0, 8_000),
  }),
};

const ATOMS = [
  ...['{}', '[]', '1', '""', 'null', '{"a":1}', '{"a":[{}]}', '"*"', '"stream.*"', '"aaaaaaaaaaaaaaaa"', '"\\u0000"', '1e300'],
  ...['{"type":"string"}', '{"pattern":"^(a+)+$"}', '{"$ref":"#"}', '{"anyOf":[{},{}]}', '{"enum":[1,2,3]}', '{"properties":{"a":{}}}'],
  ...['{"op":"add","path":"/name","value":1}', '{"op":"replace","path":"/processors/llm/properties/askAnything/0/content","value":"x"}'],
  ...['{"op":"remove","path":"/processors/0"}', '{"id":"a","processorDeclarationId":"echo"}', '{"content":"x"}', '{"uniqueItems":true}'],
] as const;

const operation = fc.constantFrom(...Object.keys(OPERATIONS));
const atom = fc.constantFrom(...ATOMS);
const count = fc.constantFrom(1, 10, 100, 1_000, 10_000, 100_000);
const depth = fc.constantFrom(0, 0, 1, 8, 60, MOST_DEPTH);
const as = fc.constantFrom('list' as const, 'members' as const, 'text' as const);

export const genome: fc.Arbitrary<Genome> = fc.record({ operation, atom, count, depth, as });

/** One gene of a genome, changed; numbers by a factor. */
export const mutated = (parent: Genome): fc.Arbitrary<Genome> =>
  fc.oneof(
    operation.map((changed) => ({ ...parent, operation: changed })),
    atom.map((changed) => ({ ...parent, atom: changed })),
    as.map((changed) => ({ ...parent, as: changed })),
    fc.constantFrom(0.5, 0.9, 1.1, 2, 5).map((factor) => ({ ...parent, count: Math.max(1, Math.round(parent.count * factor)) })),
    fc.constantFrom(-8, -1, 1, 8).map((more) => ({ ...parent, depth: Math.min(MOST_DEPTH, Math.max(0, parent.depth + more)) })),
  );

const textOf = ({ atom: one, count: times, depth: levels, as: form }: Genome): string => {
  const most = Math.max(1, Math.min(times, Math.floor(MOST_CHARACTERS / (one.length + (form === 'members' ? 10 : 1)))));
  const item = (n: number) => (form === 'members' ? `"${n}":${one}` : one);
  const items = Array.from({ length: most }, (_, n) => item(n)).join(',');
  if (form === 'text') return JSON.stringify(items).slice(0, MOST_CHARACTERS);
  const whole = form === 'members' ? `{${items}}` : `[${items}]`;
  return form === 'members'
    ? `${'{"a":'.repeat(levels)}${whole}${'}'.repeat(levels)}`
    : `${'['.repeat(levels)}${whole}${']'.repeat(levels)}`;
};

export const requestOf = (one: Genome): BuiltRequest => {
  const build = OPERATIONS[one.operation];
  if (!build) throw new Error(`there is no operation ${one.operation}`);
  return build(textOf(one));
};
