import { groupEventStream } from '../../domain/group/events.ts';
import { groupResource } from '../../domain/group/state.ts';
import { notFound } from '../../domain/problem.ts';
import { streamEventStream } from '../../domain/stream/events.ts';
import { type GroupDocument, groupsProjection } from '../../projections/groups.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { maySee } from './streamLookup.ts';
import { GROUP_SCHEMA } from './streamSchemas.ts';

/** A group that its first stream has to itself is folded from the events of that stream. */
const freshGroup = (readModels: ReadModels, groupId: string): Promise<GroupDocument | null> =>
  readModels.getFresh(groupsProjection, groupId, streamEventStream(groupId), groupEventStream(groupId));

/** Serves `GET /stream-service/api/v1/groups/{groupId}` (`docs/guides/groups.md`). */
export const groupRoutes = (deps: { readonly readModels: ReadModels }): Route[] => [
  defineRoute({
    operationId: 'findGroup',
    tag: 'Streams',
    method: 'GET',
    path: '/stream-service/api/v1/groups/{groupId}',
    summary: 'Returns a group.',
    description: 'The first stream that names a group creates it. A group completes when all its streams have completed.',
    access: 'authenticated',
    reads: ['groups'],
    alwaysFresh: true,
    responses: { 200: { description: 'The group.', schema: GROUP_SCHEMA } },
    handle: async ({ params: { groupId }, caller }) => {
      const group = await freshGroup(deps.readModels, groupId);
      if (!group || !maySee(caller, group.creatorId)) throw notFound('group');
      return { status: 200, body: groupResource(group) };
    },
  }),
];
