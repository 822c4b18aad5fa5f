import type { TemplateLibrary } from '../../commands/templateLibrary.ts';
import { timeOf } from '../../domain/parseTime.ts';
import { labelKey } from '../../domain/stream/labels.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { searchProjection } from '../../projections/search.ts';
import * as s from '../../schema.ts';
import type { FindOptions } from '../../stores/documents.ts';
import { PAGE_PARAMETERS, pageOf } from '../answers/page.ts';
import { distinct } from '../input/parameters.ts';
import { requestedSubject } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type QueryParameters, type QueryValues, type Route } from '../route/route.ts';
import { createdWithin } from '../streams/streamLookup.ts';
import { pageSchema } from '../streams/streamSchemas.ts';
import { parseQuery } from './query.ts';
import { type FoundStream, MOST_FOUND, MOST_SPOKEN, searchStreams } from './searchStreams.ts';

export interface SearchRouteDeps {
  readonly readModels: ReadModels;
  readonly templates: Pick<TemplateLibrary, 'idOf'>;
}

const TIME = { type: 'string', maxLength: 64, examples: ['2026-03-01T00:00:00Z'] } as const;

const PARAMETERS = {
  q: {
    schema: { type: 'string', maxLength: 500 },
    required: 'by the handler',
    example: 'refund "as soon as possible" -invoice ship*',
    description:
      'Words, which all occur in the stream; `"a phrase"`; `-without`; `pref*`, the beginning of a word. Letters compare without case and accents. Chinese, Japanese and Thai text is found anywhere within longer text.',
  },
  label: {
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    list: 'repeat',
    description: 'Only streams with this label, without regard to case. Repeat it for streams with all of several labels.',
  },
  group: { schema: { type: 'string' }, isId: true, description: 'Only streams of this group.' },
  streamConfigurationTemplateId: {
    schema: { type: 'string', maxLength: 255 },
    description: 'Only streams that use this template, by its id or name.',
  },
  since: { schema: TIME, description: 'Only streams created at this time or later. ISO 8601; UTC without an offset.' },
  until: { schema: TIME, description: 'Only streams created at this time or earlier. ISO 8601; UTC without an offset.' },
  speaker: {
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    description: `Only what this speaker says, by name or id. Looks at the ${MOST_SPOKEN} most relevant streams.`,
  },
  subject: {
    schema: { type: 'string' },
    isId: true,
    description: 'Owner of the streams. Default: the caller. Only admins may name another.',
  },
  ...PAGE_PARAMETERS,
} as const satisfies QueryParameters;

const PASSAGE = s.named(
  'SearchPassage',
  s.resource({
    kind: s.oneOf('transcript', 'summary', 'answer', 'text', 'name'),
    utterance: s.described(s.nullable(s.text), 'Id of the utterance in the transcript.'),
    speaker: s.described(s.nullable(s.text), 'Name of the speaker, otherwise `Speaker` and the id.'),
    start: s.described(s.nullable(s.integer), 'Milliseconds from the start of the audio.'),
    end: s.nullable(s.integer),
    text: s.described(s.text, 'Of a long text, the part with the most occurrences, with `…` where it was cut.'),
    marks: s.described(s.list(s.list(s.count)), 'Where the words are in `text`: `[start, end)`, in UTF-16 units.'),
  }),
);

const FOUND = s.named(
  'FoundStream',
  s.resource({
    streamId: s.uuid,
    name: s.nullable(s.text),
    labels: s.list(s.text),
    createdTimestamp: s.time,
    duration: s.described(s.nullable(s.integer), 'Of the audio, in milliseconds. Null without audio.'),
    hits: s.described(s.count, 'How often the words and phrases occur in the stream.'),
    passages: s.described(s.list(PASSAGE), 'The best three at most.'),
  }),
);

/** Serves `GET /export-service/api/v1/search` (`docs/guides/library.md`). */
export const searchRoutes = (deps: SearchRouteDeps): Route[] => [
  defineRoute({
    operationId: 'searchStreams',
    tag: 'Export',
    method: 'GET',
    path: '/export-service/api/v1/search',
    summary: 'Searches the words of your kept streams: transcripts, summaries, answers, texts and names.',
    description: `The most relevant streams come first, then the newest. Finds at most ${MOST_FOUND} streams. Results are searched when their stream has ended, until they are deleted.`,
    access: 'authenticated',
    reads: [searchProjection.name],
    query: PARAMETERS,
    responses: { 200: { description: 'A page of streams with passages.', schema: pageSchema(FOUND) } },
    handle: (request) => found(deps, request),
  }),
];

const found = async ({ readModels, templates }: SearchRouteDeps, request: ApiRequest<unknown, QueryValues<typeof PARAMETERS>>) => {
  const { caller, query, signal } = request;
  const subject = requestedSubject(caller, query.subject, "Only an admin may search another's streams.");
  const template = query.streamConfigurationTemplateId;
  const templateId = template === undefined ? undefined : await templates.idOf(subject, template);
  const search = { query: parseQuery(query.q ?? ''), where: conditionOf(subject, query, templateId), speaker: query.speaker, signal };
  const { found: streams, total } = await searchStreams(readModels, search, query);
  return { status: 200, body: pageOf(streams.map(shown), total, query) } satisfies ApiResponse;
};

const conditionOf = (
  subject: string,
  { group, since, until, label }: QueryValues<typeof PARAMETERS>,
  streamConfigurationTemplateId: string | undefined,
): NonNullable<FindOptions['where']> => {
  const labels = distinct(label).map((one) => labelKey(one.trim()));
  return {
    subject,
    ...(labels.length > 0 && { labelKeys: { all: labels } }),
    ...(group !== undefined && { groupId: group }),
    ...(streamConfigurationTemplateId !== undefined && { streamConfigurationTemplateId }),
    ...createdWithin(since === undefined ? null : timeOf(since, 'since'), until === undefined ? null : timeOf(until, 'until')),
  };
};

const shown = ({ document, hits: { hits, passages } }: FoundStream) => {
  const { streamId, name, labels, createdTimestamp, duration } = document;
  return { streamId, name, labels, createdTimestamp, duration, hits, passages };
};
