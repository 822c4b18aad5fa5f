import { loadOwnStream } from '../../commands/changeOwnStream.ts';
import { type EditDeps, editTranscript, type TranscriptChanged, undoEdit } from '../../commands/transcript/editTranscript.ts';
import { readTranscript } from '../../commands/transcript/readTranscript.ts';
import { parseIfMatch } from '../../domain/ifMatch.ts';
import { timeOf } from '../../domain/parseTime.ts';
import { editsOf } from '../../domain/transcript/edits.ts';
import type { Shape } from '../../json.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { invalid } from '../input/schemas.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, type DocumentedResponse, defineRoute, type Route } from '../route/route.ts';
import { editsRoute } from './editsRoute.ts';
import { transcriptAnswer } from './transcriptJson.ts';
import { EDITS_BODY, EDITS_DOCUMENTED, TRANSCRIPT } from './transcriptSchemas.ts';

type OfStream<Query = unknown, Body = unknown> = ApiRequest<{ readonly streamId: string }, Query, Body>;

const PATH = '/stream-service/api/v1/streams/{streamId}/transcript';
const TAG = 'Transcripts';

const CHANGE_REFUSALS: Readonly<Record<number, DocumentedResponse>> = {
  409: { description: 'The transcription is being made, or no edit is left to undo.' },
  410: { description: 'The data of the stream are deleted.' },
  412: { description: 'Another edit came first. Read the transcript again.' },
  428: { description: '`If-Match` is missing.' },
};

/** `/stream-service/api/v1/streams/{streamId}/transcript`: reads and corrects the transcript of a stream (`docs/guides/library.md`). */
export const transcriptRoutes = (deps: EditDeps & { readonly readModels: ReadModels }): Route[] => [
  defineRoute({
    operationId: 'findTranscript',
    tag: TAG,
    method: 'GET',
    path: PATH,
    summary: 'The transcript of a stream with its corrections.',
    description:
      'Made from the last transcription of the chain. Without parameters, the newest revision of the newest attempt that made one. 404 for a stream without a transcription.',
    access: 'authenticated',
    reads: [],
    alwaysFresh: true,
    query: {
      attempt: {
        schema: { type: 'integer', minimum: 1 },
        description: 'The transcript as of this attempt of the stream: 1 is the upload.',
      },
      revision: { schema: { type: 'integer', minimum: 0 }, description: 'This revision: 0 is as the machine wrote it.' },
      asOf: {
        schema: { type: 'string', maxLength: 64, examples: ['2026-03-01T00:00:00Z'] },
        description: 'The newest revision of this time. ISO 8601; UTC without an offset.',
      },
    },
    responses: {
      200: { description: 'The transcript, with the ETag of its revision.', schema: TRANSCRIPT, headers: ['ETag'] },
      409: { description: 'The transcription is being made.' },
      410: { description: 'The data of the stream are deleted.' },
    },
    handle: (request) => found(deps, request),
  }),
  defineRoute({
    operationId: 'editTranscript',
    tag: TAG,
    method: 'PATCH',
    path: PATH,
    summary: 'Corrects the transcript. For its owner or an admin.',
    description:
      'Applies the edits in order, all or none, to the newest revision, whose ETag `If-Match` names. Makes the next revision, unless nothing changes. A wrong edit is 400, and the message names it. `replace` and `join` look through the whole transcript: the longer it is, the fewer one request may have, at least 10.',
    access: 'authenticated',
    headers: ['If-Match'],
    body: { kind: 'json', schema: EDITS_BODY, documented: EDITS_DOCUMENTED, limitBytes: BODY_BYTES, examples: EXAMPLES },
    responses: {
      200: {
        description: 'The new revision, with its ETag.',
        schema: TRANSCRIPT,
        headers: ['ETag'],
        optionalHeaders: ['Tributary-Replaced'],
      },
      ...CHANGE_REFUSALS,
      429: { description: 'The transcript has been edited 10,000 times.' },
    },
    handle: (request) => edited(deps, request),
  }),
  defineRoute({
    operationId: 'undoTranscriptEdit',
    tag: TAG,
    method: 'POST',
    path: `${PATH}/undo`,
    summary: 'Takes back the newest edit that is not undone. For its owner or an admin.',
    description: 'Makes the next revision, with the content before that edit. Repeat it to take back earlier edits.',
    access: 'authenticated',
    headers: ['If-Match'],
    responses: { 200: { description: 'The new revision, with its ETag.', schema: TRANSCRIPT, headers: ['ETag'] }, ...CHANGE_REFUSALS },
    handle: (request) => undone(deps, request),
  }),
  editsRoute(deps),
];

const BODY_BYTES = 1_048_576;

const EXAMPLES = {
  text: {
    summary: 'A correction and a name',
    value: {
      edits: [
        { op: 'text', utterance: 'u0', text: 'Good morning, Ben.' },
        { op: 'name', speaker: 'A', name: 'Anna' },
      ],
    },
  },
  replace: { summary: 'A word everywhere', value: { edits: [{ op: 'replace', find: 'Jon', with: 'John', wholeWords: true }] } },
};

const found = async (
  deps: EditDeps,
  request: OfStream<{ readonly attempt?: number; readonly revision?: number; readonly asOf?: string }>,
): Promise<ApiResponse> => {
  const { streamId } = request.params;
  const aggregate = await loadOwnStream(deps.log, { streamId, caller: request.caller });
  const { attempt, revision, asOf } = request.query;
  if (revision !== undefined && asOf !== undefined) throw invalid('asOf', 'cannot be combined with revision', 'request');
  const which = { attempt, revision, asOf: asOf === undefined ? undefined : timeOf(asOf, 'asOf') };
  return transcriptAnswer(await readTranscript(deps, aggregate, which));
};

const edited = async (deps: EditDeps, request: OfStream<unknown, Shape<typeof EDITS_BODY>>): Promise<ApiResponse> => {
  const { params, body, caller } = request;
  const ifMatch = parseIfMatch(request.header('If-Match'));
  const edits = editsOf(body.edits);
  const changed = await editTranscript(deps, { streamId: params.streamId, caller, ifMatch, edits }, commandContext(request));
  return changedAnswer(changed, edits.some(({ op }) => op === 'replace') ? { 'Tributary-Replaced': String(changed.replaced) } : {});
};

const undone = async (deps: EditDeps, request: OfStream): Promise<ApiResponse> => {
  const { streamId } = request.params;
  const ifMatch = parseIfMatch(request.header('If-Match'));
  return changedAnswer(await undoEdit(deps, { streamId, caller: request.caller, ifMatch }, commandContext(request)), {});
};

const changedAnswer = ({ transcript, position }: TranscriptChanged, headers: Readonly<Record<string, string>>): ApiResponse => {
  const answer = transcriptAnswer(transcript);
  return { ...answer, headers: { ...answer.headers, ...headers }, consistency: { position, projections: [] } };
};
