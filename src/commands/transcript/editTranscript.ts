import type { IfMatch } from '../../domain/ifMatch.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { applyEdits, mostWork } from '../../domain/transcript/applyEdits.ts';
import { isSame } from '../../domain/transcript/content.ts';
import * as decide from '../../domain/transcript/decisions.ts';
import type { Edit } from '../../domain/transcript/edits.ts';
import { type TranscriptEvent, transcriptEventStream } from '../../domain/transcript/events.ts';
import { type TranscriptState, transcriptDecider } from '../../domain/transcript/state.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { Keys } from '../../stores/keys/openKeys.ts';
import { loadOwnStream, type StreamRequest } from '../changeOwnStream.ts';
import { type AppendContext, forOwner, handle } from '../handle.ts';
import { readTranscript, rememberRevision, type Transcript, type TranscriptDeps } from './readTranscript.ts';

export interface EditDeps extends TranscriptDeps {
  readonly keys: Pick<Keys, 'eventStreamKey'>;
}

export interface TranscriptRequest extends StreamRequest {
  readonly ifMatch: IfMatch;
}

export interface TranscriptChanged {
  readonly transcript: Transcript;
  /** How often `replace` found its text. */
  readonly replaced: number;
  /** `null` if there was nothing to append. */
  readonly position: Position | null;
}

/**
 * Corrects the newest revision of a stream's transcript, for its owner or an admin. Appends nothing if nothing changes. Rejects with a `Problem`: 400 that
 * names the edit that does not fit, 404, 409, 410, 412, 428 and 429.
 */
export const editTranscript = async (
  deps: EditDeps,
  { edits, ...request }: TranscriptRequest & { readonly edits: readonly Edit[] },
  context: AppendContext,
): Promise<TranscriptChanged> => {
  const aggregate = await editable(deps, request);
  const before = await readTranscript(deps, aggregate);
  const { attempt, revision } = before;
  decide.checkRevision(attempt, revision, request.ifMatch);
  const { content, replaced } = applyEdits(before.content, edits, revision + 1, mostWork(before.content));
  if (isSame(content, before.content)) return { transcript: before, replaced, position: null };
  const position = await append(deps, aggregate, (state) => decide.editTranscript(state, { attempt, revision, edits }), context);
  rememberRevision(deps.log, before, { revision: revision + 1, content });
  return { transcript: await readTranscript(deps, aggregate, { revision: revision + 1 }), replaced, position };
};

/** Undoes the newest edit that still counts. Rejects like `editTranscript`, and with a `Problem` 409 if no edit is left. */
export const undoEdit = async (deps: EditDeps, request: TranscriptRequest, context: AppendContext): Promise<TranscriptChanged> => {
  const aggregate = await editable(deps, request);
  const { attempt, revision } = await readTranscript(deps, aggregate);
  decide.checkRevision(attempt, revision, request.ifMatch);
  const position = await append(deps, aggregate, (state) => decide.undoEdit(state, { attempt, revision }), context);
  return { transcript: await readTranscript(deps, aggregate, { revision: revision + 1 }), replaced: 0, position };
};

/** The stream, read after its key was made: a deletion that this read does not see yet will find the key and destroy it. */
const editable = async ({ log, keys }: EditDeps, request: TranscriptRequest): Promise<StreamAggregate> => {
  await loadOwnStream(log, request);
  await keys.eventStreamKey(transcriptEventStream(request.streamId), { create: true });
  return loadOwnStream(log, request);
};

const append = async (
  deps: EditDeps,
  { stream: { streamId, creatorId } }: StreamAggregate,
  decision: (state: TranscriptState) => readonly TranscriptEvent[],
  context: AppendContext,
): Promise<Position | null> => {
  const eventStream = transcriptEventStream(streamId);
  return (await handle(deps, { eventStream, decider: transcriptDecider, decide: decision, context: forOwner(context, creatorId) }))
    .position;
};
