import type { Problem } from '../../domain/problem.ts';
import { distinct } from '../input/parameters.ts';
import { invalid } from '../input/schemas.ts';
import { EXAMPLE_STREAM } from '../openapi/pathParameters.ts';
import type { ApiRequest, QueryParameters, QueryValues } from '../server/route.ts';
import { ATTEMPT_PARAMETER } from '../streams/streamLookup.ts';

const EXPORT_FORMATS = ['JSON', 'TEXT', 'EVENTS', 'SRT', 'VTT'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Selection of streams: listed ones, or those of a group. */
export interface StreamSelection {
  readonly streams: readonly string[];
  /** `streams` are excluded. */
  readonly exclude: boolean;
  readonly group: string | undefined;
  /** Number of the group's streams in order of creation; `undefined`: all existing ones. */
  readonly count: number | undefined;
  /** Milliseconds to wait until the streams exist; `undefined`: the server's maximum. */
  readonly timeout: number | undefined;
}

export interface TagMatch {
  readonly tags: readonly string[];
  readonly all: boolean;
}

export interface ExportParameters {
  readonly format: ExportFormat;
  readonly selection: StreamSelection;
  readonly match: TagMatch;
  readonly omitPayload: boolean;
  /** `undefined`: the newest attempt of each stage. */
  readonly attempt: number | undefined;
}

/** How tags select sinks. */
export const TAG_MATCH = { title: 'TagMatch', type: 'string', enum: ['ALL', 'ANY'], default: 'ANY' } as const;

/** Selection of streams, shared with the live egress. */
export const SELECTION_PARAMETERS = {
  streams: {
    schema: { type: 'string' },
    list: 'comma',
    isId: true,
    description: 'Stream ids, repeated or comma-separated. All must belong to one group.',
    example: [EXAMPLE_STREAM],
  },
  streamsInclusion: {
    schema: { title: 'StreamsInclusion', type: 'string', enum: ['INCLUDE', 'EXCLUDE'], default: 'INCLUDE' },
    description: 'Whether `streams` lists the streams to include or to exclude. EXCLUDE needs `group` and `count`.',
  },
  group: { schema: { type: 'string' }, isId: true, description: 'Group of the streams.' },
  count: {
    schema: { type: 'integer', minimum: 1 },
    description: 'Number of streams of the group, in order of creation, when no stream is listed. Default: all that exist.',
  },
  tags: { schema: { type: 'string' }, list: 'comma', description: 'Tags of the sinks, repeated or comma-separated. Default: main.' },
  matchTags: {
    schema: TAG_MATCH,
    description: 'Whether a sink must have all of the tags or at least one.',
  },
  timeout: {
    schema: { type: 'integer', minimum: 0 },
    description: "Milliseconds to wait for the streams to be created. Default and maximum: the server's limit.",
  },
} as const satisfies QueryParameters;

type SelectionQuery = QueryValues<typeof SELECTION_PARAMETERS>;

export const EXPORT_PARAMETERS = {
  ...SELECTION_PARAMETERS,
  timeout: {
    schema: { type: 'integer', minimum: 0, default: 0 },
    description: "Milliseconds to wait for the streams to be created. Maximum: the server's limit.",
  },
  attempt: ATTEMPT_PARAMETER,
  omitPayload: { schema: { type: 'boolean', default: false }, description: 'Returns null for every payload. Only with EVENTS.' },
} as const satisfies QueryParameters;

export type ExportRequest = ApiRequest<{ readonly format: string }, QueryValues<typeof EXPORT_PARAMETERS>>;

/** Reads the validated parameters and checks their combination. Throws 400 for combinations that make no sense. */
export const exportParameters = ({ params, query }: Pick<ExportRequest, 'params' | 'query'>): ExportParameters => {
  const format = formatOf(params.format);
  const { omitPayload, attempt } = query;
  if (omitPayload && format !== 'EVENTS') throw refused('omitPayload', 'works only with the format EVENTS');
  return { format, selection: selectionOf(query), match: tagMatchOf(query), omitPayload, attempt };
};

export const selectionOf = (query: SelectionQuery): StreamSelection => {
  const { count, timeout } = query;
  const exclude = query.streamsInclusion === 'EXCLUDE';
  const streams = distinct(query.streams);
  const group = query.group || undefined;
  if (exclude && group === undefined) throw refused('group', 'is required with EXCLUDE');
  if (exclude && count === undefined) throw refused('count', 'is required with EXCLUDE');
  if (streams.length === 0 && group === undefined) throw refused('streams', 'is required without a group');
  return { streams, exclude, group, count, timeout };
};

export const tagMatchOf = (query: Pick<SelectionQuery, 'tags' | 'matchTags'>): TagMatch => {
  const tags = distinct(query.tags);
  return { tags: tags.length > 0 ? tags : ['main'], all: query.matchTags === 'ALL' };
};

const formatOf = (text: string): ExportFormat => {
  const format = EXPORT_FORMATS.find((known) => known === text.toUpperCase());
  if (!format) throw refused('format', `must be one of ${EXPORT_FORMATS.join(', ')}`);
  return format;
};

export const refused = (field: string, message: string): Problem => invalid(field, message, 'request');
