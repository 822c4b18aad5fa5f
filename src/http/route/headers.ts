import type { Json, JsonSchema } from '../../json.ts';
import * as s from '../../schema.ts';

/** A count that may exceed 32 bits. */
const INT64 = { ...s.count, format: 'int64' } as const;

/** A log position: 20 digits, or two such numbers on EventStoreDB. */
export const POSITION_PATTERN = '^\\d{20}(:\\d{20})?$';
/** The position of the first event of an embedded log. */
export const FIRST_POSITION = '00000000000000000000';

interface DocumentedHeader {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: Json;
}

const POSITION: JsonSchema = { type: 'string', pattern: POSITION_PATTERN };
const OP = '"op"\\s*:\\s*"(?:add|replace|remove)"';
const PATH = '"path"\\s*:\\s*"';
// Without look-aheads, which some generators of clients do not know.
const OPERATION = `\\{[^{}]*(?:${OP}[^{}]*${PATH}|${PATH}[^{}]*${OP})[^{}]*\\}`;
const PATCH: Pick<DocumentedHeader, 'schema' | 'example'> = {
  schema: { type: 'string', pattern: `^\\s*(?:${OPERATION}|\\[\\s*${OPERATION}(?:\\s*,\\s*${OPERATION})*\\s*\\])\\s*$` },
  example: '[{"op":"replace","path":"summary","value":true}]',
};
const PATCHES = 'Patches of the template as JSON text: one RFC 6902 operation or a list of them.';

const REQUEST_HEADERS = {
  'If-Match': {
    description: 'ETag of the state to change. 409 if the resource has changed. `*` matches any existing state.',
    schema: s.text,
  },
  'If-None-Match': {
    description: 'ETag of your copy. 304 without a body if it is still the present state.',
    schema: s.text,
    example: '"an-etag"',
  },
  'Idempotency-Key': {
    description:
      'Repeating a request with the same key, parameters and body creates one stream only. The same key with other parameters or another body is 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Range: { description: 'Byte range to return (RFC 9110, section 14.2). An invalid range returns the whole body.', schema: s.text },
  'If-Range': { description: 'ETag of your partial copy. If it changed, the whole body is sent.', schema: s.text },
  'X-Template-Patch': { description: PATCHES, ...PATCH },
  'X-Vat-Meta-Template-Patch': { description: `${PATCHES} Another name of X-Template-Patch.`, ...PATCH },
  'Tus-Resumable': {
    description: 'Version of the tus protocol. A HEAD, PATCH, POST or DELETE without it is 412.',
    schema: s.oneOf('1.0.0'),
    example: '1.0.0',
  },
  'Upload-Length': { description: 'Size of the upload, in bytes.', schema: { type: 'integer', format: 'int64', minimum: 1 }, example: 5 },
  'Upload-Metadata': {
    description: 'Parameters of the upload: keys and values in base64, separated by a space; pairs separated by commas.',
    schema: s.text,
    example: 'filename ZXBpc29kZS0xLm1wMw==',
  },
  'Upload-Offset': { description: 'Number of bytes that have arrived before those of this request.', schema: INT64, example: 0 },
  'X-HTTP-Method-Override': { description: 'The method that is meant.', schema: s.oneOf('PATCH', 'HEAD', 'DELETE'), example: 'PATCH' },
  'Tributary-After': {
    description: 'The Tributary-Position of an earlier answer. The read waits until its data include that position, or answers 503.',
    schema: POSITION,
    example: FIRST_POSITION,
  },
} as const satisfies Record<string, DocumentedHeader>;

const RESPONSE_HEADERS = {
  'X-Correlation-Id': {
    description: 'Id of the request in the logs and in the events it caused. If you send one, it is used.',
    schema: s.text,
  },
  'Accept-Ranges': { description: 'Range requests are supported.', schema: s.oneOf('bytes') },
  'Content-Range': { description: 'The range returned, and the total number of bytes.', schema: s.text, example: 'bytes 0-1023/4096' },
  'Content-Disposition': { description: 'Name of the file.', schema: s.text, example: 'attachment; filename="Call.srt"' },
  ETag: {
    description: 'Version of this state, for If-Match, If-None-Match or If-Range.',
    schema: { type: 'string', pattern: '^"[^"]*"$' },
  },
  Location: { description: 'URL of the new resource.', schema: { type: 'string', format: 'uri-reference' } },
  'Retry-After': { description: 'Seconds to wait before repeating the request.', schema: s.small },
  RateLimit: {
    description:
      "Remaining quota: the limit's name, `r` requests left, `t` seconds until it resets (draft-ietf-httpapi-ratelimit-headers).",
    schema: s.text,
    example: '"wrong-credentials";r=99;t=60',
  },
  'RateLimit-Policy': {
    description: 'The limit: its name, `q` requests allowed, `w` window in seconds (absent for concurrent requests).',
    schema: s.text,
    example: '"concurrent-streams";q=1000',
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 9110, 11.6.1).', schema: s.text },
  'Set-Cookie': { description: 'The cookie of the session: HttpOnly, SameSite=Lax, and on https Secure.', schema: s.text },
  'Tributary-Sign-Out': {
    description: 'Page of the identity provider where a person who has ended this session here can sign out too.',
    schema: { type: 'string', format: 'uri' },
  },
  'Tributary-Consistency': {
    description: '`pending`: durable, but a read model does not show it yet. Send Tributary-Position as Tributary-After with later reads.',
    schema: s.oneOf('pending'),
  },
  'Tributary-Position': { description: 'Log position that is not shown yet. Only present with Tributary-Consistency.', schema: POSITION },
  'Tributary-Replaced': { description: 'How often `replace` found its text.', schema: INT64 },
  'Tributary-Stream-Id': { description: 'Id of the stream that the upload becomes.', schema: s.uuid },
  'Tus-Resumable': { description: 'Version of the tus protocol.', schema: s.oneOf('1.0.0') },
  'Upload-Offset': { description: 'Bytes that have arrived.', schema: INT64 },
  'Upload-Length': { description: 'Bytes in all.', schema: INT64 },
  'Upload-Metadata': { description: 'As it was sent at the creation.', schema: s.text },
  'Upload-Expires': { description: 'When the upload ends unless more bytes arrive (RFC 9110, 5.6.7).', schema: s.text },
  Upgrade: { description: 'The protocol this path needs.', schema: s.text },
} as const satisfies Record<string, DocumentedHeader>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** Headers of every answer of a kind. */
const ALWAYS: ReadonlySet<ResponseHeader> = new Set(['X-Correlation-Id', 'ETag', 'WWW-Authenticate', 'Upgrade']);

/** `description`: the meaning of the header for one operation, if it differs from the usual one. */
export const headerParameter = (name: RequestHeader, description?: string): object => ({
  name,
  in: 'header',
  required: false,
  ...REQUEST_HEADERS[name],
  ...(description === undefined ? {} : { description }),
});

/** The answer headers for `components`, and references to them. */
export const headerComponents = (): object =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, header]) => [name, { required: ALWAYS.has(name as ResponseHeader), ...header }]),
  );

/** Headers that only some answers of an operation have. */
export const optionalHeaders = (names: readonly ResponseHeader[]): object =>
  Object.fromEntries(names.map((name) => [name, { ...RESPONSE_HEADERS[name], required: false }]));

export const headerReferences = (names: readonly ResponseHeader[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
