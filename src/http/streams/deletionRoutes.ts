import { type DeleteDeps, deleteStream } from '../../commands/expireStream.ts';
import { notFound } from '../../domain/problem.ts';
import { isUuid } from '../input/uuid.ts';
import type { ApiRequest, ApiResponse, Route } from '../server/route.ts';

/** What a deletion changes, directly and through the group. */
const TOUCHED = ['streams', 'groups', 'usage'] as const;

/** Serves `DELETE /stream-service/api/v1/streams/{streamId}`. */
export const deletionRoutes = (deps: DeleteDeps): Route[] => [
  {
    operationId: 'deleteStream',
    tag: 'Streams',
    method: 'DELETE',
    path: '/stream-service/api/v1/streams/{streamId}',
    summary: 'Deletes the data of a stream at once. A running stream is canceled first. The stream becomes EXPIRED; its events stay.',
    description: 'Idempotent: repeating it also returns 204.',
    access: 'authenticated',
    responses: { 204: { description: 'The data are deleted.' } },
    handle: (request) => deleted(deps, request),
  },
];

const deleted = async (deps: DeleteDeps, { params, caller, correlationId }: ApiRequest): Promise<ApiResponse> => {
  const streamId = params.streamId ?? '';
  if (!isUuid(streamId)) throw notFound('stream');
  // The event belongs to the owner's subject, even if another caller deletes.
  const context = { subject: caller.subject, actor: caller.actor, correlationId, causationId: correlationId };
  const { position } = await deleteStream(deps, { streamId, caller }, context);
  return { status: 204, consistency: { position, projections: TOUCHED } };
};
