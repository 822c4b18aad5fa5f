import { mkdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { ConnectionGuard } from '../../../../src/addressGuard/connect.ts';
import { parseRanges } from '../../../../src/addressGuard/ranges.ts';
import { hrefJudge } from '../../../../src/addressGuard/url.ts';
import { systemClock } from '../../../../src/clock.ts';
import { cancelStream } from '../../../../src/commands/changeOwnStream.ts';
import { loadStream } from '../../../../src/commands/loadStream.ts';
import { OPEN_STREAMS } from '../../../../src/commands/openStreams/openStreams.ts';
import { SharedRunning } from '../../../../src/commands/openStreams/sharedRunning.ts';
import { TemplateLibrary } from '../../../../src/commands/templateLibrary.ts';
import type { Caller } from '../../../../src/domain/credentials/caller.ts';
import { EVENT_SCHEMAS } from '../../../../src/domain/eventSchemas.ts';
import { topicId } from '../../../../src/domain/stream/streamConfiguration.ts';
import { createApp } from '../../../../src/http/app.ts';
import { Links } from '../../../../src/http/gateway/links.ts';
import { UploadPlanner } from '../../../../src/http/gateway/planner.ts';
import { uploadRoutes } from '../../../../src/http/gateway/uploadRoutes.ts';
import { MemoryBudget } from '../../../../src/http/limits/memoryBudget.ts';
import { listen } from '../../../../src/http/server/server.ts';
import { openStreamNews } from '../../../../src/http/streams/streamNews.ts';
import { templateRoutes } from '../../../../src/http/templates/templateRoutes.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../../src/limits.ts';
import { silentLogger } from '../../../../src/logger.ts';
import { openProcessors } from '../../../../src/processors/registry.ts';
import { CallerSchemas } from '../../../../src/processors/schemas/callerSchemas.ts';
import type { SpeechServerSettings } from '../../../../src/processors/transcriber/speechServer.ts';
import { DISK_ELSEWHERE, type DiskSpace } from '../../../../src/stores/diskSpace.ts';
import { openEmbeddedDocuments } from '../../../../src/stores/embedded/documents.ts';
import { openEmbeddedEventStore } from '../../../../src/stores/embedded/eventStore.ts';
import { openEmbeddedTopics } from '../../../../src/stores/embedded/topics.ts';
import { openEventLog } from '../../../../src/stores/log/openEventLog.ts';
import type { Topics } from '../../../../src/stores/topics.ts';
import { MemoryKeys } from '../../../fakes/memoryKeys.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { documentsWriterInThread, logWriterInThread } from '../../../writersInThread.ts';

export const ALICE = '11111111-1111-4111-8111-111111111111';
export const BOB = '22222222-2222-4222-8222-222222222222';

const callerOf = async ({ headers }: IncomingMessage): Promise<Caller> => {
  const subject = String(headers['x-subject'] ?? ALICE);
  return { subject, actor: 'test', roles: [headers['x-role'] === 'admin' ? 'admin' : 'user'] };
};

/** The upload gateway and the template service over real HTTP, on the real embedded stores. */
export const startGateway = async (
  dataDir: string,
  {
    maxBytes = 3_000_000,
    maxStreams = 100,
    around = (topics: Topics): Topics => topics,
    guard = { allow: parseRanges(''), resolve: async () => [] } as ConnectionGuard,
    silenceMilliseconds = 60_000,
    /** With one, templates that take media have an engine; nothing here runs it. */
    speechServer = null as SpeechServerSettings | null,
    logger = silentLogger,
    disk = DISK_ELSEWHERE as Pick<DiskSpace, 'shortage'>,
    limits: changed = {} as Partial<Limits>,
  } = {},
) => {
  const clock = systemClock;
  const limits = { ...DEFAULT_LIMITS, ...changed };
  const memory = new MemoryBudget(limits);
  mkdirSync(join(dataDir, 'topics'), { recursive: true });
  const store = await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir, clock });
  const documents = await openEmbeddedDocuments({
    startWriter: documentsWriterInThread,
    file: join(dataDir, 'views.db'),
    durability: 'NORMAL',
  });
  const topics = around(await openEmbeddedTopics({ directory: join(dataDir, 'topics'), clock, rows: store.topicRows }));
  const keys = new MemoryKeys();
  const log = openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock });
  await documents.ensureCollection(OPEN_STREAMS);
  const runningStreams = new SharedRunning({
    documents: documents,
    clock: clock,
    limit: maxStreams,
    totalLimit: 1_000_000,
    node: async () => null,
  });
  const templates = new TemplateLibrary(log);
  const schemas = new CallerSchemas({ clock, limits });
  const processors = openProcessors({ clock, schemas, speechServer });
  const judgeWebhook = hrefJudge(guard);
  let followed = 0;
  const subscribe: typeof store.subscribe = (options) => {
    followed += 1;
    return store.subscribe(options);
  };
  const news = openStreamNews({ store: { head: () => store.head(), subscribe }, clock });
  const routes = [
    ...uploadRoutes({
      log,
      keys,
      runningStreams,
      topics,
      disk: { ...DISK_ELSEWHERE, ...disk },
      keptBytes: { check: async () => undefined },
      limits,
      memory,
      clock,
      logger,
      news,
      maxBytes,
      planner: new UploadPlanner({
        retention: { persistent: 0, longest: 0 },
        spellLabels: async (_, labels) => [...labels],
        limits,
        log,
        templates,
        processors,
        schemas,
        judgeWebhook,
        deployment: 'tributary',
        replica: '0',
      }),
      links: new Links({ guard, maxBytes, silenceMilliseconds }),
    }),
    ...templateRoutes({ log, limits: DEFAULT_LIMITS, templates, schemas, processors }),
  ];
  const app = createApp({
    routes,
    authenticate: callerOf,
    readModels: new MemoryReadModels(),
    projections: [],
    limits,
    memory,
    clock,
    logger,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0, clock, logger, limits });
  return {
    url: server.url,
    port: server.port,
    /** Node's own, for what only happens to its sockets. */
    node: server.server,
    drain: (milliseconds: number) => server.drain(milliseconds),
    log,
    topics,
    runningStreams,
    memory,
    /** How often open uploads have begun to wait for news of their streams, when none did before. */
    followed: () => followed,
    streamOf: (id: string) => loadStream(log, id),
    /** The stored source of a stream; null if it has none. */
    bytesOf: async (id: string): Promise<Buffer | null> => {
      const topic = topicId((await loadStream(log, id))?.stream.configuration.dataSource.topic ?? '');
      if ((await topics.size(topic)) === null) return null;
      const chunks: Uint8Array[] = [];
      for await (const { data } of topics.read(topic)) chunks.push(data);
      return Buffer.concat(chunks);
    },
    cancel: (id: string) =>
      cancelStream(
        { log, topics, clock },
        { streamId: id, caller: { subject: ALICE, actor: 'test', roles: ['user'] } },
        {
          subject: ALICE,
          actor: 'test',
          correlationId: 'c',
          causationId: 'c',
        },
      ),
    close: async () => {
      await server.drain(0);
      await topics.close();
      await documents.close();
      await store.close();
    },
  };
};

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
