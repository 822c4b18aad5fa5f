import type { Logger } from '../../logger.ts';
import type { ProjectionEngine } from '../../projections/engine/projectionEngine.ts';
import * as s from '../../schema.ts';
import type { Leases } from '../../stores/leases/leases.ts';
import { type CheckedStores, checkStores } from '../../stores/storeChecks.ts';
import { type ApiResponse, defineRoute, type Route } from '../route/route.ts';

export interface OperationsRouteDeps extends CheckedStores {
  readonly engine: ProjectionEngine;
  readonly leases: Leases;
  readonly logger: Logger;
}

const BASE = '/operations-service/api/v1';
const SHARED = { tag: 'Operations', access: ['admin'], reads: [] } as const;

const PROJECTIONS = s.list(
  s.named(
    'Projection',
    s.resource({
      name: s.text,
      version: s.integer,
      position: s.nullable(s.text),
      head: s.nullable(s.text),
      lagEvents: s.count,
      lagSeconds: s.number,
      rate: s.described(s.number, 'Events per second.'),
      state: s.oneOf('catching-up', 'live', 'stopped', 'rebuilding'),
      error: s.nullable(s.text),
    }),
  ),
);
const LEASES = s.list(s.named('Lease', s.resource({ name: s.text, epoch: s.integer, holder: s.text })));
const STORES = s.list(s.named('StoreHealth', s.resource({ name: s.text, ok: s.flag, detail: s.text })));
const PROJECTION_NAME = { description: 'Name of the read model, or `all`.', schema: s.text, example: 'groups' };

/** The operations service, for the dashboard and for programs. */
export const operationsRoutes = (deps: OperationsRouteDeps): Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'findProjections',
    method: 'GET',
    path: `${BASE}/projections`,
    summary: 'Lists the read models with their progress and any rebuild.',
    description:
      '`lagEvents` and `lagSeconds` say how far each read model is behind the log. `lagEvents` is exact up to 20 and estimated above.',
    responses: { 200: { description: 'One row each.', schema: PROJECTIONS } },
    handle: async () => ({ status: 200, body: await deps.engine.status() }),
  }),
  defineRoute({
    tag: SHARED.tag,
    access: SHARED.access,
    operationId: 'rebuildProjection',
    method: 'POST',
    path: `${BASE}/projections/{name}/rebuild`,
    params: { name: PROJECTION_NAME },
    summary: 'Rebuilds a read model, or `all`. The new build takes over when it has caught up.',
    description: 'The old build is served until then.',
    responses: {
      202: { description: 'Started. The list of projections shows the progress.', schema: PROJECTIONS },
      409: { description: 'A rebuild of this read model is already running.' },
    },
    handle: ({ params }) => rebuild(deps, params.name),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'findPartitions',
    method: 'GET',
    path: `${BASE}/partitions`,
    summary: 'Lists the delivery partitions with the nodes that hold them.',
    description: 'A partition without a holder is not listed.',
    responses: { 200: { description: 'The leases of the held partitions.', schema: LEASES } },
    handle: async () => ({ status: 200, body: (await deps.leases.list()).filter(({ name }) => name.startsWith('delivery/')) }),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'findLeases',
    method: 'GET',
    path: `${BASE}/leases`,
    summary: 'Lists the leases: work that one node at a time does, and which node does it.',
    description: 'Each with its epoch, which fences writes of a former holder.',
    responses: { 200: { description: 'The held leases.', schema: LEASES } },
    handle: async () => ({ status: 200, body: await deps.leases.list() }),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'findStores',
    method: 'GET',
    path: `${BASE}/stores`,
    summary: 'Lists the stores and whether they answer.',
    description: 'The event log, the documents (read models, leases), the vault of keys and the topics of bytes.',
    responses: { 200: { description: 'One row each.', schema: STORES } },
    handle: async () => ({ status: 200, body: await checkStores(deps) }),
  }),
];

/** Answers when the rebuild has been accepted. If it stops later, the log says so, and the old documents are served. */
const rebuild = async ({ engine, logger }: OperationsRouteDeps, name: string): Promise<ApiResponse> => {
  await new Promise<void>((resolve, reject) => {
    let begun = false;
    const onBegun = () => {
      begun = true;
      resolve();
    };
    engine.rebuild(name, { onBegun }).then(resolve, (error: unknown) => {
      if (begun) logger.warn({ err: error, projection: name }, 'rebuild failed');
      reject(error);
    });
  });
  const rows = await engine.status();
  return { status: 202, body: name === 'all' ? rows : rows.filter((row) => row.name === name) };
};
