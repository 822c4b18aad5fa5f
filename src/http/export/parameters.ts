import type { Problem } from '../../domain/problem.ts';
import type { TagMatch } from '../../results/sinks.ts';
import { distinct } from '../input/parameters.ts';
import { invalid } from '../input/schemas.ts';
import { COLLECTED_FORMATS, type CollectedFormat, EXPORT_FORMATS, type ExportFormat } from '../route/fileTypes.ts';
import { EXAMPLE_STREAM } from '../route/pathParameters.ts';
import type { ApiRequest, QueryParameters, QueryValues } from '../route/route.ts';
import { ATTEMPT_PARAMETER } from '../streams/streamLookup.ts';
import { CAPTION_PARAMETERS, captionLayoutOf } from './captions/parameters.ts';
import type { FormatOptions } from './formats/formatted.ts';

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

export interface ExportParameters {
  readonly format: ExportFormat;
  readonly selection: StreamSelection;
  /** `null` without tags. */
  readonly match: TagMatch | null;
  readonly omitPayload: boolean;
  /** Whether transcripts have their corrections. */
  readonly edited: boolean;
  readonly options: FormatOptions;
  /** The files of a ZIP. */
  readonly formats: readonly CollectedFormat[];
  /** Whether a ZIP has the uploads too. */
  readonly media: boolean;
  /** `undefined`: the newest attempt of each stage. */
  readonly attempt: number | undefined;
}

/** The sinks of messages for a request without tags. */
export const MAIN_SINKS: TagMatch = { tags: ['main'], all: false };

/** How tags select sinks. */
export const TAG_MATCH = { title: 'TagMatch', type: 'string', enum: ['ALL', 'ANY'], default: 'ANY' } as const;

const TAGS = {
  schema: { type: 'string' },
  list: 'comma',
  description: 'Tags of the sinks, repeated or comma-separated. Default: main.',
} as const;

/** Selection of streams, shared with the live egress. */
export const SELECTION_PARAMETERS = {
  streams: {
    schema: { type: 'string' },
    list: 'comma',
    isId: true,
    description: 'Stream ids, repeated or comma-separated. Streams of other users, which administrators see, must belong to one group.',
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
  tags: TAGS,
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
  tags: {
    ...TAGS,
    description:
      'Tags of the sinks, repeated or comma-separated. Default: for JSON every kept sink, of several transcriptions the last of the chain; for EVENTS main; for the others the last transcription of the chain, or else the texts.',
  },
  timeout: {
    schema: { type: 'integer', minimum: 0, default: 0 },
    description: "Milliseconds to wait for the streams to be created. Maximum: the server's limit.",
  },
  attempt: ATTEMPT_PARAMETER,
  omitPayload: { schema: { type: 'boolean', default: false }, description: 'Returns null for every payload. Only with EVENTS.' },
  edited: {
    schema: { type: 'boolean', default: true },
    description: 'Exports transcripts with the corrections of people. `false`: as the machine wrote them, as EVENTS always does.',
  },
  ...CAPTION_PARAMETERS,
  shift: {
    schema: { type: 'boolean', default: false },
    description: 'Moves the times of each stream behind the stream before it. With SRT, VTT, DOCX, MD and CSV.',
  },
  summary: {
    schema: { type: 'boolean', default: false },
    description: 'Puts the summary, if the stream has one, above the transcription. With TEXT, DOCX, MD and ZIP.',
  },
  formats: {
    schema: { title: 'ZipFormat', type: 'string', enum: COLLECTED_FORMATS },
    list: 'comma',
    description: 'Formats of the files in a ZIP, repeated or comma-separated. Default: TEXT, SRT and JSON. Only with ZIP.',
  },
  media: { schema: { type: 'boolean', default: false }, description: 'Adds the uploads to a ZIP. Only with ZIP.' },
} as const satisfies QueryParameters;

export type ExportRequest = ApiRequest<{ readonly format: string }, QueryValues<typeof EXPORT_PARAMETERS>>;

/** Reads the validated parameters and checks their combination. Throws 400 for combinations that make no sense. */
export const exportParameters = ({ params, query }: Pick<ExportRequest, 'params' | 'query'>): ExportParameters => {
  const format = formatOf(params.format);
  checkApplicable(format, query);
  const { omitPayload, edited, attempt, media, shift, summary } = query;
  const formats = distinct(query.formats);
  return {
    format,
    selection: selectionOf(query),
    match: tagMatchOf(query),
    omitPayload,
    edited,
    attempt,
    options: { captions: captionLayoutOf(query), shift, summary },
    formats: formats.length > 0 ? formats : ['TEXT', 'SRT', 'JSON'],
    media,
  };
};

const CAPTIONS: readonly ExportFormat[] = ['SRT', 'VTT', 'ZIP'];
/** The formats of parameters that not all have. */
const FORMATS_OF: Readonly<Record<string, readonly ExportFormat[]>> = {
  omitPayload: ['EVENTS'],
  maxLineLength: CAPTIONS,
  maxLines: CAPTIONS,
  maxCueDuration: CAPTIONS,
  cues: CAPTIONS,
  shift: ['SRT', 'VTT', 'DOCX', 'MD', 'CSV'],
  summary: ['TEXT', 'DOCX', 'MD', 'ZIP'],
  formats: ['ZIP'],
  media: ['ZIP'],
};

/** Whether a parameter of the query works with a format. */
export const appliesTo = (format: ExportFormat, name: string): boolean => formatsOf(name).includes(format);

const formatsOf = (name: string): readonly ExportFormat[] => FORMATS_OF[name] ?? EXPORT_FORMATS;

const checkApplicable = (format: ExportFormat, query: ExportRequest['query']): void => {
  for (const [name, value] of Object.entries(query)) {
    const formats = formatsOf(name);
    if (value !== false && !formats.includes(format))
      throw refused(name, `works only with the ${formats.length > 1 ? 'formats' : 'format'} ${formats.join(', ')}`);
  }
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

/** `null` without tags. */
export const tagMatchOf = (query: Pick<SelectionQuery, 'tags' | 'matchTags'>): TagMatch | null => {
  const tags = distinct(query.tags);
  return tags.length > 0 ? { tags, all: query.matchTags === 'ALL' } : null;
};

const formatOf = (text: string): ExportFormat => {
  const format = EXPORT_FORMATS.find((known) => known === text.toUpperCase());
  if (!format) throw refused('format', `must be one of ${EXPORT_FORMATS.join(', ')}`);
  return format;
};

export const refused = (field: string, message: string): Problem => invalid(field, message, 'request');
