import { createHash } from 'node:crypto';
import { Problem } from '../../domain/problem.ts';
import { isWebhookKey, type RequestedWebhook, webhookEventOfKey } from '../../domain/stream/dynamicWebhooks.ts';
import type { PersistRule } from '../../domain/stream/resolveConfiguration.ts';
import { patchOfValues, pathSegments, type RequestedPatch } from '../../domain/templates/patches.ts';
import { TAG_MATCH } from '../export/parameters.ts';
import { idempotencyKey } from '../input/idempotencyKey.ts';
import { decode } from '../input/parameters.ts';
import { patchesOfHeaders } from '../input/templatePatchHeaders.ts';
import { EXAMPLE_STREAM } from '../openapi/pathParameters.ts';
import { badRequest } from '../server/errors.ts';
import type { ApiRequest, QueryParameters, QueryValues } from '../server/route.ts';

const UUID = { type: 'string', pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' } as const;
const TAG = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9_.-]+$' } as const;

/** The documented query parameters of every gateway. All others are patches, webhooks or credentials. */
export const UPLOAD_PARAMETERS = {
  id: { schema: UUID, isId: true, description: 'Id of the new stream. Default: a random one.', example: EXAMPLE_STREAM },
  name: { schema: { type: 'string', maxLength: 255 }, description: 'Name of the new stream. Default: a random one.' },
  groupId: {
    schema: UUID,
    isId: true,
    description: 'Group that the stream joins. A new id creates the group. Default: a group of its own.',
  },
  streamConfigurationTemplateId: {
    schema: { type: 'string' },
    required: 'by the handler',
    description: 'Template to create the stream from.',
    example: '7472696275746172790a7478',
  },
  persist: { schema: { type: 'boolean', default: false }, description: 'Keeps the results for export.', example: true },
  persistTags: {
    schema: { type: 'array', items: TAG, minItems: 1, maxItems: 10 },
    list: 'repeat',
    description: 'Keeps only the sinks with these tags.',
  },
  matchPersistTags: {
    schema: TAG_MATCH,
    description: 'Whether a sink must have all of the tags or at least one.',
  },
} as const satisfies QueryParameters;

/** The part of a request that `uploadParameters` reads. */
export type UploadRequest = Pick<ApiRequest<unknown, QueryValues<typeof UPLOAD_PARAMETERS>>, 'query' | 'rawQuery' | 'header'>;
const DOCUMENTED: ReadonlySet<string> = new Set(Object.keys(UPLOAD_PARAMETERS));

/** An upload request, before its body is read. */
export interface UploadParameters {
  readonly id: string | null;
  readonly name: string | null;
  readonly groupId: string | null;
  readonly templateId: string;
  readonly persist: PersistRule;
  /** Those of the headers, then those of the query. */
  readonly patches: readonly RequestedPatch[];
  readonly webhooks: readonly RequestedWebhook[];
  readonly idempotencyKey: string | null;
}

/**
 * Parses the request, whose documented parameters have been checked; those that are not `documented` are patches. Throws every refusal that needs
 * neither template nor body.
 */
export const uploadParameters = (
  { query, rawQuery, header }: UploadRequest,
  documented: ReadonlySet<string> = DOCUMENTED,
): UploadParameters => {
  const { id = null, name, groupId = null, streamConfigurationTemplateId: templateId = '', persist, persistTags: tags = [] } = query;
  if (templateId === '')
    throw new Problem('STREAM_CONFIGURATION_BAD_TEMPLATE', 'The query parameter streamConfigurationTemplateId is required.');
  const ofHeaders = patchesOfHeaders(header);
  const { patches, webhooks } = openQuery(rawQuery, documented);
  return {
    id,
    name: name || null,
    groupId,
    templateId,
    persist: { persist, tags, match: query.matchPersistTags },
    patches: [...ofHeaders, ...patches],
    webhooks,
    idempotencyKey: idempotencyKey(header('Idempotency-Key')),
  };
};

const sortedBy = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] =>
  items
    .map((item) => ({ item, name: nameOf(item) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ item }) => item);

/** `processors/<id>/properties/<property>`, or the alias: patches of one property keep their order, since the last one applies. */
const propertyOf = ({ path }: RequestedPatch): string => JSON.stringify(pathSegments(path).slice(0, 4));

/**
 * Hex SHA-256 of an upload's parameters without its body: two uploads with one key must agree in it. The order of tags, of webhooks and of patches
 * of different properties does not count, because clients that keep their parameters in a map do not preserve it.
 */
export const fingerprintOf = (parameters: UploadParameters): string => {
  const { idempotencyKey: key, id, name, groupId, templateId, persist, patches, webhooks } = parameters;
  const asked = [
    ...[key, id, name, groupId, templateId],
    { ...persist, tags: [...persist.tags].sort() },
    sortedBy(patches, propertyOf),
    sortedBy(webhooks, (webhook) => JSON.stringify(webhook)),
  ];
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
};

/** Credentials in the query are never patches. */
const CREDENTIALS: ReadonlySet<string> = new Set(['client_id', 'client_secret', 'access_token']);
const EXPLICIT = 'patches.';

/** The parts of a query besides its documented parameters. */
interface OpenQuery {
  /** In order of first appearance. */
  readonly patches: RequestedPatch[];
  readonly webhooks: RequestedWebhook[];
}

const decoded = (text: string): string => {
  const plain = decode(text);
  if (plain === null) throw badRequest('The query is not percent-encoded UTF-8.');
  return plain;
};

/** A leading `+`, also after an escaping backslash, is a plus in both its forms; any other raw `+` is a space. */
const decodedPatchValue = (raw: string): string => decoded(raw.replace(/^((?:\\|%5c)?)\+/i, '$1%2B'));

/**
 * Reads the patches and webhooks of a query from its raw text: every parameter that is not `documented` is one. A parameter with the prefix
 * `patches.` is always a patch. Throws WEBHOOK_CONFIGURATION_ERROR for an unknown webhook key, STREAM_CONFIGURATION_BAD_PATCH for a repeated key
 * with `+` or `-`.
 */
export const openQuery = (rawQuery: string, documented: ReadonlySet<string>): OpenQuery => {
  const values = new Map<string, string[]>();
  const webhooks: RequestedWebhook[] = [];
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const raw = equals < 0 ? '' : pair.slice(equals + 1);
    if (documented.has(key) || CREDENTIALS.has(key)) continue;
    if (isWebhookKey(key)) {
      webhooks.push({ url: decoded(raw), event: webhookEventOfKey(key) });
      continue;
    }
    const path = key.startsWith(EXPLICIT) ? key.slice(EXPLICIT.length) : key;
    const known = values.get(path);
    if (known) known.push(decodedPatchValue(raw));
    else values.set(path, [decodedPatchValue(raw)]);
  }
  return { patches: [...values].map(([path, texts]) => patchOfValues(path, texts)), webhooks };
};
