import { createHash } from 'node:crypto';
import { Problem } from '../../domain/problem.ts';
import type { RequestedWebhook } from '../../domain/stream/dynamicWebhooks.ts';
import { labelKey, labelsOf } from '../../domain/stream/labels.ts';
import type { PersistRule } from '../../domain/stream/resolveConfiguration.ts';
import { pathSegments, type RequestedPatch } from '../../domain/templates/patches.ts';
import { TAG_MATCH } from '../export/parameters.ts';
import { idempotencyKey } from '../input/idempotencyKey.ts';
import { queryCheck } from '../input/parameters.ts';
import { patchesOfHeaders } from '../input/templatePatchHeaders.ts';
import { UUID_SCHEMA } from '../input/uuid.ts';
import { EXAMPLE_STREAM } from '../route/pathParameters.ts';
import type { ApiRequest, QueryParameters, QueryValues } from '../route/route.ts';
import { openQuery } from './openQuery.ts';

const TAG = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9_.-]+$' } as const;

/** The documented query parameters of every gateway. All others are patches, webhooks or credentials. */
export const UPLOAD_PARAMETERS = {
  id: { schema: UUID_SCHEMA, isId: true, description: 'Id of the new stream. Default: a random one.', example: EXAMPLE_STREAM },
  name: { schema: { type: 'string', maxLength: 255 }, description: 'Name of the new stream. Default: a random one.' },
  label: {
    schema: { type: 'string', maxLength: 255 },
    list: 'repeat',
    description: 'A label of the new stream, at most 64 characters. Repeat it for more, at most 20. Labels compare without case.',
    example: ['sales'],
  },
  labels: {
    schema: { type: 'string', maxLength: 5_000 },
    description: 'Labels of the new stream, separated by commas. They join those of `label`.',
  },
  fileName: {
    schema: { type: 'string', maxLength: 255 },
    description: 'File name under which the upload is downloaded again. Default: the file name of a multipart upload.',
    example: 'episode-1.mp3',
  },
  groupId: {
    schema: UUID_SCHEMA,
    isId: true,
    description: 'Group that the stream joins. A new id creates the group. Default: a group of its own.',
  },
  streamConfigurationTemplateId: {
    schema: { type: 'string' },
    required: 'by the handler',
    description:
      'Template to create the stream from: its id, the name of a template of your own, or `transcribe`, `diarize`, `live`, `text` or `ping`.',
    example: 'text',
  },
  persist: { schema: { type: 'boolean', default: false }, description: 'Keeps the results for export.', example: true },
  keepFor: {
    schema: { type: 'string', maxLength: 64 },
    description:
      'Keeps the results this long after the end of the stream, an ISO 8601 duration such as `P30D`. Implies `persist=true`. Default: the time of the server, usually until you delete them.',
    example: 'P30D',
  },
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

const checkQuery = queryCheck(UPLOAD_PARAMETERS);

/** The request with fields that came otherwise, such as those of a form, as further parameters of its query. */
export const withFields = (request: UploadRequest, fields: readonly { readonly name: string; readonly value: string }[]): UploadRequest => {
  if (fields.length === 0) return request;
  const rawQuery = request.rawQuery.with(fields);
  return { header: request.header, rawQuery, query: checkQuery(rawQuery) };
};

/** An upload request, before its body is read. */
export interface UploadParameters {
  readonly id: string | null;
  readonly name: string | null;
  /** As given, each once. */
  readonly labels: readonly string[];
  readonly fileName: string | null;
  readonly groupId: string | null;
  readonly templateId: string;
  readonly persist: PersistRule;
  /** ISO 8601 duration. */
  readonly keepFor: string | null;
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
  const {
    id = null,
    name,
    fileName,
    groupId = null,
    streamConfigurationTemplateId: templateId = '',
    persist,
    keepFor = null,
    persistTags: tags = [],
  } = query;
  if (templateId === '')
    throw new Problem('STREAM_CONFIGURATION_BAD_TEMPLATE', 'The query parameter streamConfigurationTemplateId is required.');
  if (keepFor !== null && !persist && rawQuery.valuesOf('persist').length > 0)
    throw new Problem('GENERAL_VALIDATION_ERROR', 'keepFor keeps the results, and persist=false does not. Leave out one of them.');
  const ofHeaders = patchesOfHeaders(header);
  const { patches, webhooks } = openQuery(rawQuery, documented);
  return {
    id,
    name: name || null,
    labels: givenLabels(query),
    fileName: fileName || null,
    groupId,
    templateId,
    persist: { persist: persist || keepFor !== null, tags, match: query.matchPersistTags },
    keepFor,
    patches: [...ofHeaders, ...patches],
    webhooks,
    idempotencyKey: idempotencyKey(header('Idempotency-Key')),
  };
};

/** Throws 400 for an invalid label and for too many. */
const givenLabels = ({ label = [], labels }: Pick<UploadRequest['query'], 'label' | 'labels'>): string[] =>
  labelsOf([...label, ...(labels === undefined || labels.trim() === '' ? [] : labels.split(','))]);

const sortedBy = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] =>
  items
    .map((item) => ({ item, name: nameOf(item) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ item }) => item);

/** `processors/<id>/properties/<property>`, or the alias: patches of one property keep their order, since the last one applies. */
const propertyOf = ({ path }: RequestedPatch): string => JSON.stringify(pathSegments(path).slice(0, 4));

/** Patches and webhooks in one order. That of webhooks and of patches of different properties does not count, since clients may keep them in a map. */
export const inAnyOrder = (patches: readonly RequestedPatch[], webhooks: readonly RequestedWebhook[]) => [
  sortedBy(patches, propertyOf),
  sortedBy(webhooks, (webhook) => JSON.stringify(webhook)),
];

/** Hex SHA-256 of an upload's parameters without its body: two uploads with one key must agree in it. The order of tags does not count either. */
export const fingerprintOf = (parameters: UploadParameters): string => {
  const { idempotencyKey: key, id, name, labels, keepFor, fileName, groupId, templateId, persist, patches, webhooks } = parameters;
  const asked = [
    ...[key, id, name, groupId, templateId],
    { ...persist, tags: [...persist.tags].sort() },
    ...inAnyOrder(patches, webhooks),
    // Keys taken before these parameters existed stay valid.
    ...(fileName === null ? [] : [fileName]),
    ...(keepFor === null ? [] : [{ keepFor }]),
    ...(labels.length > 0 ? [{ labels: labels.map(labelKey).sort() }] : []),
  ];
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
};
