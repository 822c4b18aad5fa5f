import { deleteVocabulary, findVocabulary, listVocabularies, saveVocabulary } from '../../commands/vocabularies.ts';
import { MOST_BYTES } from '../../domain/vocabularies/decisions.ts';
import type { Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { UUID_SCHEMA } from '../input/uuid.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';

export interface VocabularyDeps {
  readonly log: EventLog;
}

const PATH = '/stream-configuration-service/api/v1/vocabularies';
const SHARED = { tag: 'Vocabularies', access: 'authenticated', reads: [] } as const;
const ID = {
  vocabularyId: { description: 'The vocabulary.', schema: UUID_SCHEMA, example: '0d5dd8a4-5a0c-4a9f-9a53-2e5b8f0a7c11' },
} as const;
const TEXT = { type: 'string', maxLength: 256 } as const;

const BODY = {
  title: 'VocabularyDraft',
  type: 'object',
  required: ['name'],
  properties: {
    id: { type: ['string', 'null'], description: 'The vocabulary to replace. Absent: creates one.' },
    name: { type: 'string', minLength: 1, maxLength: 64, description: 'Unique among your vocabularies, without case.' },
    terms: { type: 'array', items: TEXT, maxItems: 200, default: [], description: 'Words and phrases to expect.' },
    replacements: {
      type: 'object',
      additionalProperties: TEXT,
      maxProperties: 500,
      default: {},
      description: 'What an engine writes, and what replaces it: whole words, compared without case. An empty text removes them.',
    },
  },
} as const;

const VOCABULARY = s.named(
  'Vocabulary',
  s.resource({
    id: s.uuid,
    name: s.text,
    terms: s.list(s.text),
    replacements: s.map(s.text),
    createdTimestamp: s.time,
    updatedTimestamp: s.time,
  }),
);

type SaveRequest = ApiRequest<unknown, unknown, Shape<typeof BODY>>;
type OfVocabulary = ApiRequest<{ readonly vocabularyId: string }>;

/** `/stream-configuration-service/api/v1/vocabularies`: words of their own that users save for their transcriptions. */
export const vocabularyRoutes = (deps: VocabularyDeps): Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'findVocabularies',
    method: 'GET',
    path: PATH,
    summary: 'Your vocabularies by name.',
    description: 'At most 100.',
    responses: { 200: { description: 'The vocabularies.', schema: s.list(VOCABULARY) } },
    handle: async ({ caller }) => ({ status: 200, body: await listVocabularies(deps.log, caller.subject) }),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'saveVocabulary',
    method: 'PUT',
    path: PATH,
    summary: 'Saves a vocabulary, a new one or the next content of yours.',
    description: `At most ${MOST_BYTES} bytes of JSON. An upload takes it with \`vocabulary=@name\`. Streams keep the content with which they began.`,
    body: {
      kind: 'json',
      schema: BODY,
      examples: {
        vocabulary: {
          summary: 'Names of products',
          value: { name: 'Products', terms: ['Tributary', 'Kurrent'], replacements: { 'tribute airy': 'Tributary' } },
        },
      },
    },
    responses: {
      200: { description: 'The changed vocabulary.', schema: VOCABULARY },
      201: { description: 'The new vocabulary.', schema: VOCABULARY, headers: ['Location'] },
      409: { description: 'You have another vocabulary with this name.' },
      429: { description: 'You have 100 vocabularies.' },
    },
    handle: (request) => saved(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'getVocabulary',
    method: 'GET',
    path: `${PATH}/{vocabularyId}`,
    summary: 'Returns a vocabulary.',
    description: 'Only your own.',
    params: ID,
    responses: { 200: { description: 'The vocabulary.', schema: VOCABULARY } },
    handle: async ({ caller, params }: OfVocabulary) => ({
      status: 200,
      body: await findVocabulary(deps.log, caller.subject, params.vocabularyId),
    }),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'deleteVocabulary',
    method: 'DELETE',
    path: `${PATH}/{vocabularyId}`,
    summary: 'Deletes a vocabulary.',
    description: 'Streams that have begun with it keep its content. Uploads and templates that name it answer 404.',
    params: ID,
    responses: { 204: { description: 'Deleted.' } },
    handle: async (request: OfVocabulary) => {
      await deleteVocabulary(deps, request.params.vocabularyId, commandContext(request));
      return { status: 204 };
    },
  }),
];

const saved = async (deps: VocabularyDeps, request: SaveRequest): Promise<ApiResponse> => {
  const { id, name, terms = [], replacements = {} } = request.body;
  const vocabulary = await saveVocabulary(deps, { id: id || null, draft: { name, terms, replacements } }, commandContext(request));
  if (id) return { status: 200, body: vocabulary };
  return { status: 201, body: vocabulary, headers: { Location: `${PATH}/${vocabulary.id}` } };
};
