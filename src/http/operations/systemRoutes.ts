import { type Clock, isoTime } from '../../clock.ts';
import type { RunningStreams } from '../../commands/openStreams/openStreams.ts';
import type { Shape } from '../../json.ts';
import type { NodeQueues } from '../../nodeQueues.ts';
import type { EngineState } from '../../processors/engineStates.ts';
import * as s from '../../schema.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import type { Nodes } from '../../stores/leases/nodes.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { SETUP_ADVICE, type SetupAdvice } from './setupAdvice.ts';

/** The answering process. */
export interface ThisNode {
  readonly version: string;
  readonly form: 'embedded' | 'cluster';
  readonly roles: readonly string[];
  readonly host: string;
}

export interface SystemRouteDeps {
  readonly clock: Clock;
  readonly self: ThisNode;
  readonly nodes: Pick<Nodes, 'alive' | 'gone' | 'own'>;
  readonly disk: Pick<DiskSpace, 'room' | 'shortage'>;
  readonly queues: () => NodeQueues;
  readonly runningStreams: Pick<RunningStreams, 'total'>;
  readonly newestBackup: () => Promise<Shape<typeof BACKUP> | null>;
  readonly engines: () => Promise<readonly EngineState[]>;
  readonly advice: () => Promise<readonly SetupAdvice[]>;
}

const BASE = '/operations-service/api/v1';
const SHARED = { tag: 'Operations', method: 'GET', access: ['admin'], reads: [] } as const;

const BACKUP = s.named(
  'BackupState',
  s.resource({ timestamp: s.time, directory: s.text, position: s.nullable(s.text), bytes: s.count, verified: s.flag }),
);
const SYSTEM = s.named(
  'System',
  s.resource({
    version: s.described(s.text, 'Version of Tributary.'),
    nodeVersion: s.described(s.text, 'Version of Node.js.'),
    form: s.oneOf('embedded', 'cluster'),
    startedTimestamp: s.time,
    disk: s.described(
      s.nullable(
        s.named(
          'DiskState',
          s.resource({
            freeBytes: s.count,
            totalBytes: s.count,
            reservedBytes: s.described(s.count, 'Uploads are refused when less is free.'),
            shortage: s.described(s.nullable(s.text), 'Why uploads are refused now.'),
          }),
        ),
      ),
      'Disk of DATA_DIR. Null in the cluster form, whose bytes lie in MongoDB.',
    ),
    queues: s.named(
      'NodeQueues',
      s.resource({
        runs: s.list(s.named('RunQueue', s.resource({ lane: s.text, running: s.count, waiting: s.count }))),
        deliveries: s.named('DeliveryQueue', s.resource({ due: s.count, scheduled: s.count, inFlight: s.count })),
        runningStreams: s.described(
          s.nullable(
            s.named(
              'RunningStreams',
              s.resource({ running: s.count, limit: s.described(s.count, 'MAX_RUNNING_STREAMS: uploads and reruns get 503 at it.') }),
            ),
          ),
          'Streams of all users that run or wait for their processors. Null in the cluster form, which has no such limit.',
        ),
      }),
    ),
    lastBackup: s.described(s.nullable(BACKUP), 'Newest backup made with `tributary backup`. Null: none, or the cluster form.'),
  }),
);

const NODES = s.list(
  s.named(
    'Node',
    s.resource({
      id: s.text,
      host: s.text,
      roles: s.list(s.text),
      joinedTimestamp: s.time,
      alive: s.flag,
      self: s.described(s.flag, 'The node that answers.'),
    }),
  ),
);

const ENGINES = s.list(
  s.named(
    'Engine',
    s.resource({
      name: s.text,
      kind: s.oneOf('speech', 'language model', 'decoder'),
      place: s.oneOf('built-in', 'local', 'server'),
      state: s.oneOf('ready', 'away', 'missing'),
      model: s.nullable(s.text),
      detail: s.text,
    }),
  ),
);

/** The state of the answering node and its engines, and the other nodes. */
export const systemRoutes = (deps: SystemRouteDeps): readonly Route[] => {
  const started = deps.clock.now();
  return [
    defineRoute({
      ...SHARED,
      operationId: 'getSystem',
      path: `${BASE}/system`,
      summary: 'Version, disk, queues and last backup of the node that answers.',
      description: 'Queues are those of this node; `/metrics` has them for monitoring.',
      responses: { 200: { description: 'The state now.', schema: SYSTEM } },
      handle: async () => ({ status: 200, body: await system(deps, started) }),
    }),
    defineRoute({
      ...SHARED,
      operationId: 'findNodes',
      path: `${BASE}/nodes`,
      summary: 'Lists the nodes that share the stores.',
      description: 'One in the embedded form. A node that died is listed until its work has been cleared up.',
      responses: { 200: { description: 'One row each.', schema: NODES } },
      handle: async () => ({ status: 200, body: await nodes(deps, started) }),
    }),
    defineRoute({
      ...SHARED,
      operationId: 'findEngines',
      path: `${BASE}/engines`,
      summary: 'Lists the speech engines and language models of the node that answers, with their state.',
      description: '`ready`: installed, or its server answers. Looked at once in ten seconds at most.',
      responses: { 200: { description: 'One row per engine and model.', schema: ENGINES } },
      handle: async () => ({ status: 200, body: await deps.engines() }),
    }),
    defineRoute({
      ...SHARED,
      operationId: 'findSetupAdvice',
      path: `${BASE}/advice`,
      summary: 'Lists what most installations need and this one lacks.',
      description: 'Empty when nothing essential is missing.',
      responses: { 200: { description: 'Each with a command or a setting that helps.', schema: SETUP_ADVICE } },
      handle: async () => ({ status: 200, body: await deps.advice() }),
    }),
  ];
};

const totalOf = ({ total }: SystemRouteDeps['runningStreams']) => total && { running: total.held, limit: total.limit };

const system = async ({ self, disk, queues, runningStreams, newestBackup }: SystemRouteDeps, started: number): Promise<object> => {
  const room = disk.room();
  return {
    version: self.version,
    nodeVersion: process.version,
    form: self.form,
    startedTimestamp: isoTime(started),
    disk: room && {
      freeBytes: room.free,
      totalBytes: room.total,
      reservedBytes: Math.round(room.reserved),
      shortage: disk.shortage(),
    },
    queues: { ...queues(), runningStreams: totalOf(runningStreams) },
    lastBackup: await newestBackup(),
  };
};

const nodes = async ({ self, nodes: shared }: SystemRouteDeps, started: number): Promise<object[]> => {
  if (self.form === 'embedded')
    return [{ id: `pid ${process.pid}`, host: self.host, roles: self.roles, joinedTimestamp: isoTime(started), alive: true, self: true }];
  const [alive, gone, own] = await Promise.all([shared.alive(), shared.gone(), shared.own().catch(() => null)]);
  return [...alive.map((node) => ({ node, alive: true })), ...gone.map((node) => ({ node, alive: false }))].map(
    ({ node: { id, host, roles, since }, alive: isAlive }) => ({
      id,
      host,
      roles,
      joinedTimestamp: isoTime(since),
      alive: isAlive,
      self: id === own,
    }),
  );
};
