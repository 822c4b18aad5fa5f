import { loadOwnStream } from '../../commands/changeOwnStream.ts';
import { loadRevisions } from '../../commands/transcript/readTranscript.ts';
import { isTranscriptEvent, transcriptEventStream } from '../../domain/transcript/events.ts';
import { transcriptAttempt } from '../../domain/transcript/source.ts';
import { revisionsOf, standingAt } from '../../domain/transcript/state.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { listParameters, pageOf } from '../answers/page.ts';
import { actorsOf } from '../audit/actors.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type QueryValues, type Route } from '../route/route.ts';
import { pageSchema } from '../streams/streamSchemas.ts';
import { EDIT_RECORD } from './transcriptSchemas.ts';

const QUERY = {
  attempt: {
    schema: { type: 'integer', minimum: 1 },
    description: 'Edits of the transcript as of this attempt of the stream. Default: the newest.',
  },
  ...listParameters('revision,desc'),
} as const;

interface EditsDeps {
  readonly log: EventLog;
  readonly readModels: ReadModels;
}

/** `GET .../transcript/edits`: who corrected a transcript, when and how. */
export const editsRoute = (deps: EditsDeps): Route =>
  defineRoute({
    operationId: 'findTranscriptEdits',
    tag: 'Transcripts',
    method: 'GET',
    path: '/stream-service/api/v1/streams/{streamId}/transcript/edits',
    summary: 'The edits of a transcript, newest first.',
    description: 'Once the data of the stream are deleted, their words are gone too: `edits` is null.',
    access: 'authenticated',
    reads: [],
    alwaysFresh: true,
    query: QUERY,
    responses: { 200: { description: 'A page of edits.', schema: pageSchema(EDIT_RECORD) } },
    handle: (request) => listed(deps, request),
  });

const listed = async (
  { log, readModels }: EditsDeps,
  { params: { streamId }, query, caller }: ApiRequest<{ readonly streamId: string }, QueryValues<typeof QUERY>>,
): Promise<ApiResponse> => {
  const attempt = transcriptAttempt(await loadOwnStream(log, { streamId, caller }), query.attempt);
  const revisions = revisionsOf(await loadRevisions(log, streamId), attempt);
  const standing = new Set(standingAt(revisions, revisions.length));
  const all = revisions.flatMap(({ kind, event }, n) => (kind === 'edited' ? [{ revision: n + 1, event }] : [])).reverse();
  const shown = all.slice(query.page * query.size, (query.page + 1) * query.size);
  const content: Recorded[] = [];
  for (const { revision, event } of shown)
    content.push({ revision, ...(await recorded(log, streamId, event)), undone: !standing.has(revision) });
  const actors = await actorsOf(
    readModels,
    content.map(({ actor }) => ({ metadata: { actor } })),
  );
  const names = new Map(actors.map(({ id, label }) => [id, label]));
  const named = content.map(({ actor, ...rest }) => ({ ...rest, actor, actorName: names.get(actor) ?? null }));
  return { status: 200, body: pageOf(named, all.length, query) };
};

interface Recorded {
  readonly revision: number;
  readonly time: string;
  readonly actor: string;
  readonly edits: object | null;
  readonly undone: boolean;
}

/** Read from the log, which no longer opens the words once their key is destroyed. */
const recorded = async (log: EventLog, streamId: string, revision: number): Promise<Pick<Recorded, 'time' | 'actor' | 'edits'>> => {
  const [event] = await log.readStream(transcriptEventStream(streamId), { from: BigInt(revision), limit: 1 });
  if (!event || !isTranscriptEvent(event) || event.type !== 'TranscriptEdited') throw new Error('an edit without its event');
  return { time: event.metadata.time, actor: event.metadata.actor, edits: event.data.edits };
};
