import type { Logger } from '../../logger.ts';
import type { ProjectionEngine } from '../../projections/engine/projectionEngine.ts';
import type { Leases } from '../../stores/leases.ts';
import { type CheckedStores, checkStores } from '../../stores/storeChecks.ts';
import { count, described, flag, integer, listOf, named, number, oneOf, resource, text, textOrNull } from '../input/jsonSchemas.ts';
import type { ApiResponse, Route } from '../server/route.ts';

export interface OperationsRouteDeps extends CheckedStores {
  readonly engine: ProjectionEngine;
  readonly leases: Leases;
  readonly logger: Logger;
}

const BASE = '/operations-service/api/v1';
const TAG = 'Operations';

const PROJECTIONS = listOf(
  named(
    'Projection',
    resource({
      name: text,
      version: integer,
      position: textOrNull,
      head: textOrNull,
      lagEvents: count,
      lagSeconds: number,
      rate: described(number, 'Events a second.'),
      state: oneOf('catching-up', 'live', 'stopped', 'rebuilding'),
      error: textOrNull,
    }),
  ),
);
const LEASES = listOf(named('Lease', resource({ name: text, epoch: integer, holder: text })));
const STORES = listOf(named('StoreHealth', resource({ name: text, ok: flag, detail: text })));
const PROJECTION_NAME = { description: 'Name of the read model, or `all`.', schema: text, example: 'groups' };

/** What an operator looks at, for the dashboard and for machines. */
export const operationsRoutes = (deps: OperationsRouteDeps): Route[] => [
  {
    operationId: 'findProjections',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/projections`,
    summary: 'How far each read model is, and a rebuild beside it.',
    description: '`lagEvents` (counted up to 20, estimated beyond) and `lagSeconds` say how far each is behind the log.',
    access: ['admin'],
    reads: [],
    responses: { 200: { description: 'A row each.', schema: PROJECTIONS } },
    handle: async () => ({ status: 200, body: await deps.engine.status() }),
  },
  {
    operationId: 'rebuildProjection',
    tag: TAG,
    method: 'POST',
    path: `${BASE}/projections/{name}/rebuild`,
    params: { name: PROJECTION_NAME },
    summary: 'Builds a read model (or `all`) again, beside the one that is served; it takes over when it has caught up.',
    description: 'The old one is served meanwhile.',
    access: ['admin'],
    responses: {
      202: { description: 'Begun: the list of projections shows how far it is.', schema: PROJECTIONS },
      409: { description: 'It is being built already.' },
    },
    handle: ({ params }) => rebuild(deps, params.name ?? ''),
  },
  {
    operationId: 'findPartitions',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/partitions`,
    summary: 'Who delivers the webhooks of which users.',
    description: 'A partition that nobody holds is not listed.',
    access: ['admin'],
    reads: [],
    responses: { 200: { description: 'The leases of the partitions that are held.', schema: LEASES } },
    handle: async () => ({ status: 200, body: (await deps.leases.list()).filter(({ name }) => name.startsWith('delivery/')) }),
  },
  {
    operationId: 'findLeases',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/leases`,
    summary: 'What is done by one node at a time, and by which.',
    description: 'With the epoch that fences a holder which was away.',
    access: ['admin'],
    reads: [],
    responses: { 200: { description: 'The leases that are held.', schema: LEASES } },
    handle: async () => ({ status: 200, body: await deps.leases.list() }),
  },
  {
    operationId: 'findStores',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/stores`,
    summary: 'Whether the stores answer.',
    description: 'The event log, the documents (read models, leases), the vault of keys and the topics of bytes.',
    access: ['admin'],
    reads: [],
    responses: { 200: { description: 'A row each.', schema: STORES } },
    handle: async () => ({ status: 200, body: await checkStores(deps) }),
  },
];

/** Answers when nothing refuses it any more; what stops it later is in the log, and the old documents go on being served. */
const rebuild = async ({ engine, logger }: OperationsRouteDeps, name: string): Promise<ApiResponse> => {
  await new Promise<void>((resolve, reject) => {
    let begun = false;
    const onBegun = () => {
      begun = true;
      resolve();
    };
    engine.rebuild(name, { onBegun }).then(resolve, (error: unknown) => {
      // What is refused is told to the caller.
      if (begun) logger.warn({ err: error, projection: name }, 'a rebuild was not done');
      reject(error);
    });
  });
  const rows = await engine.status();
  return { status: 202, body: name === 'all' ? rows : rows.filter((row) => row.name === name) };
};
