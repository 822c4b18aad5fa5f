import type { Logger } from '../logger.ts';
import type { ProjectionEngine } from '../projections/engine/projectionEngine.ts';
import type { Documents } from '../stores/documents.ts';
import type { EventStore } from '../stores/eventStore.ts';
import type { Keys } from '../stores/keys.ts';
import type { Leases } from '../stores/leases.ts';
import type { ApiResponse, Route } from './route.ts';

export interface OperationsRouteDeps {
  readonly engine: ProjectionEngine;
  readonly leases: Leases;
  readonly store: EventStore;
  readonly views: Documents;
  readonly keys: Keys;
  readonly logger: Logger;
}

const BASE = '/operations-service/api/v1';
const TAG = 'Operations';

const listOf = (members: Readonly<Record<string, object>>) => ({ type: 'array', items: { type: 'object', properties: members } });
const text = { type: 'string' };
const integer = { type: 'integer' };
const optionalText = { type: ['string', 'null'] };

const PROJECTIONS = listOf({
  name: text,
  version: integer,
  position: optionalText,
  head: optionalText,
  lagEvents: integer,
  lagSeconds: { type: 'number' },
  rate: { type: 'number' },
  state: { type: 'string', enum: ['catching-up', 'live', 'stopped', 'rebuilding'] },
  error: optionalText,
});
const LEASES = listOf({ name: text, epoch: integer, holder: text });

/** What an operator looks at, for the dashboard and for machines. */
export const operationsRoutes = (deps: OperationsRouteDeps): Route[] => [
  {
    operationId: 'findProjections',
    tag: TAG,
    method: 'GET',
    path: `${BASE}/projections`,
    summary: 'How far each read model is, and a rebuild beside it.',
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
    summary: 'Builds a read model (or `all`) again, beside the one that is served; it takes over when it has caught up.',
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
    access: ['admin'],
    reads: [],
    responses: {
      200: { description: 'A row each.', schema: listOf({ name: text, ok: { type: 'boolean' }, detail: optionalText }) },
    },
    handle: () => stores(deps),
  },
];

/** Answers when nothing refuses it any more; what stops it later is in the log, and the old documents go on being served. */
const rebuild = async ({ engine, logger }: OperationsRouteDeps, name: string): Promise<ApiResponse> => {
  await new Promise<void>((resolve, reject) => {
    engine.rebuild(name, { onBegun: resolve }).then(resolve, (error: unknown) => {
      logger.warn({ err: error, projection: name }, 'a rebuild was not done');
      reject(error);
    });
  });
  const rows = await engine.status();
  return { status: 202, body: name === 'all' ? rows : rows.filter((row) => row.name === name) };
};

const stores = async ({ store, views, keys }: OperationsRouteDeps): Promise<ApiResponse> => {
  const looked = async (name: string, look: () => Promise<string | null>) => {
    try {
      return { name, ok: true, detail: await look() };
    } catch {
      return { name, ok: false, detail: 'It does not answer now.' };
    }
  };
  const body = await Promise.all([
    looked('eventLog', async () => ((await store.head()) === null ? 'empty' : `head ${await store.head()}`)),
    looked('readModels', async () => `${(await views.listCollections('')).length} collections`),
    looked('vault', async () => `${(await keys.acceptedKeys('token')).length} signing keys`),
  ]);
  return { status: 200, body };
};
