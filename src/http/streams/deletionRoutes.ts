import { type DeleteDeps, deleteStream } from '../../commands/expireStream.ts';
import { commandContext } from '../route/commandContext.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { SHOW_STREAMS } from './streamLookup.ts';

/** Serves `DELETE /stream-service/api/v1/streams/{streamId}`. */
export const deletionRoutes = (deps: DeleteDeps): Route[] => [
  defineRoute({
    operationId: 'deleteStream',
    tag: 'Streams',
    method: 'DELETE',
    path: '/stream-service/api/v1/streams/{streamId}',
    summary: 'Deletes the data of a stream at once. A running stream is canceled first. The stream becomes EXPIRED; its events stay.',
    description: 'Idempotent: repeating it also returns 204.',
    access: 'authenticated',
    responses: { 204: { description: 'The data are deleted.' } },
    handle: async (request) => {
      const { streamId } = request.params;
      // The event belongs to the owner's subject, even if another caller deletes.
      const { position } = await deleteStream(deps, { streamId, caller: request.caller }, commandContext(request));
      return { status: 204, consistency: { position, projections: SHOW_STREAMS } };
    },
  }),
];
