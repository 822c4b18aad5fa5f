import { loadGroup } from '../../commands/groups.ts';
import { groupEventStream } from '../../domain/group/events.ts';
import { groupResource } from '../../domain/group/state.ts';
import { notFound } from '../../domain/problem.ts';
import { groupsProjection } from '../../projections/groups.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { isUuid } from '../input/uuid.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { maySee } from './streamLookup.ts';
import { GROUP_SCHEMA } from './streamSchemas.ts';

/** Serves `GET /stream-service/api/v1/groups/{groupId}` (`docs/guides/groups.md`). */
export const groupRoutes = ({ readModels, log }: { readonly readModels: ReadModels; readonly log: EventLog }): Route[] => [
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
      if (!isUuid(groupId)) throw notFound('group');
      const listed = await readModels.getFresh(groupsProjection, groupId, groupEventStream(groupId));
      const group = listed ?? (await loadGroup(log, groupId));
      if (!group || !maySee(caller, group.creatorId)) throw notFound('group');
      return { status: 200, body: groupResource(group) };
    },
  }),
];
