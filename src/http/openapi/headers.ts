import type { Json, JsonSchema } from '../../json.ts';

interface DocumentedHeader {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: Json;
}

const text: JsonSchema = { type: 'string' };
const POSITION: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9:._-]{1,128}$' };
const seconds: JsonSchema = { type: 'integer', minimum: 0 };
const PATCHES = 'Patches of the template as JSON text: an operation of RFC 6902 or a list of them.';

/** Request headers that an operation may take. */
export const REQUEST_HEADERS = {
  'If-Match': {
    description: 'The ETag of the state that is to be changed: another one now is 409. `*`: whatever it is, as long as there is one.',
    schema: text,
  },
  'Idempotency-Key': {
    description: 'The same key with the same parameters makes one stream, however often it is sent; with other parameters it is 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Range: { description: 'The part that is wanted: one range of bytes (RFC 9110, 14.2). What is none gives everything.', schema: text },
  'If-Range': { description: 'The ETag of what a part is already there of: if it is another now, everything comes.', schema: text },
  'X-Template-Patch': { description: PATCHES, schema: text },
  'X-Vat-Meta-Template-Patch': { description: `${PATCHES} Another name of X-Template-Patch.`, schema: text },
  'Tributary-After': {
    description: 'The Tributary-Position of an earlier answer: this read waits until it shows that, or answers 503.',
    schema: POSITION,
  },
} as const satisfies Record<string, DocumentedHeader>;

/** Answer headers. */
const RESPONSE_HEADERS = {
  'X-Correlation-Id': {
    description: 'Names the request in the logs and in the events that it caused. One that is sent is taken over.',
    schema: text,
  },
  'Accept-Ranges': { description: 'Parts can be asked for with Range.', schema: { type: 'string', enum: ['bytes'] } },
  'Content-Range': { description: 'Which part it is, and how many bytes there are.', schema: text, example: 'bytes 0-1023/4096' },
  ETag: { description: 'Names the state that is shown; for If-Match, or If-Range.', schema: { type: 'string', pattern: '^"[^"]*"$' } },
  Location: { description: 'Where the thing that was made is found.', schema: { type: 'string', format: 'uri-reference' } },
  'Retry-After': { description: 'Seconds to wait before the request is worth repeating.', schema: seconds },
  RateLimit: {
    description:
      'What is left of a limit: its name, `r` how many more, `t` seconds until there are more (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"wrong-credentials";r=99;t=60',
  },
  'RateLimit-Policy': {
    description: 'The limit: its name, `q` how many, `w` in how many seconds (none: at once).',
    schema: text,
    example: '"concurrent-streams";q=1000',
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 9110, 11.6.1).', schema: text },
  'Tributary-Consistency': {
    description: '`pending`: accepted and durable, but not in every view yet. Send Tributary-Position as Tributary-After with later reads.',
    schema: { type: 'string', enum: ['pending'] },
  },
  'Tributary-Position': { description: 'Position in the log of what was accepted. Only beside Tributary-Consistency.', schema: POSITION },
  Upgrade: { description: 'The protocol that is spoken here.', schema: text },
} as const satisfies Record<string, DocumentedHeader>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** Of these every answer of the kind has one. */
const ALWAYS: ReadonlySet<ResponseHeader> = new Set(['X-Correlation-Id', 'ETag', 'WWW-Authenticate', 'Upgrade']);

export const headerParameter = (name: RequestHeader): object => ({ name, in: 'header', required: false, ...REQUEST_HEADERS[name] });

/** The answer headers for `components`, and references to them. */
export const headerComponents = (): object =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, header]) => [name, { required: ALWAYS.has(name as ResponseHeader), ...header }]),
  );

export const headerReferences = (names: readonly ResponseHeader[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
