import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { loadStream } from '../../src/commands/loadStream.ts';
import { OPEN_STREAMS } from '../../src/commands/openStreams/openStreams.ts';
import { SharedRunning } from '../../src/commands/openStreams/sharedRunning.ts';
import { beginUpload, completeUpload, type UploadPlan } from '../../src/commands/upload.ts';
import { EVENT_SCHEMAS } from '../../src/domain/eventSchemas.ts';
import type { StreamAggregate } from '../../src/domain/stream/state.ts';
import { type ChainLink, type DataSource, topicId } from '../../src/domain/stream/streamConfiguration.ts';
import { declarationOf } from '../../src/domain/templates/declarations.ts';
import { SHIPPED_PRICE_LIST } from '../../src/domain/usage/priceList.ts';
import type { JsonObject } from '../../src/json.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { silentLogger } from '../../src/logger.ts';
import type { Processor, RunContext, RunReport } from '../../src/processors/processor.ts';
import type { Processors } from '../../src/processors/registry.ts';
import { Admission } from '../../src/processors/runner/admission.ts';
import { Runner } from '../../src/processors/runner/runner.ts';
import { DISK_ELSEWHERE, type DiskSpace } from '../../src/stores/diskSpace.ts';
import type { Documents } from '../../src/stores/documents.ts';
import { openEmbeddedDocuments } from '../../src/stores/embedded/documents.ts';
import { openEmbeddedEventStore } from '../../src/stores/embedded/eventStore.ts';
import { openEmbeddedTopics } from '../../src/stores/embedded/topics.ts';
import { openKeys } from '../../src/stores/keys/openKeys.ts';
import type { Leases } from '../../src/stores/leases/leases.ts';
import { openLoneLeases } from '../../src/stores/leases/loneLeases.ts';
import type { EventLog } from '../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../src/stores/log/openEventLog.ts';
import type { Topics } from '../../src/stores/topics.ts';
import { noTracing } from '../../src/tracing.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { documentsWriterInThread, logWriterInThread } from '../writersInThread.ts';

export const OWNER = '22222222-2222-4222-8222-222222222222';

/** A processor of a test: it runs under the declaration of echo, in the mode of its link. */
export type Step = (context: RunContext, link: string) => Promise<RunReport>;

export interface LinkPlan {
  id: string;
  after?: string;
  mode?: 'live' | 'batch';
  properties?: JsonObject;
  declarationId?: string;
  inputSchema?: string;
  operationType?: ChainLink['operationType'];
}

export interface RunnerOptions {
  readonly concurrency?: number;
  readonly maxAttempts?: number;
  readonly engineRetryMilliseconds?: number;
  readonly clock?: Clock;
  readonly mediaMaxSeconds?: number;
  /** The rig's stores, as the runner reaches them. */
  readonly documents?: Documents;
  readonly leases?: Leases;
  readonly topics?: Topics;
  readonly log?: EventLog;
  readonly disk?: DiskSpace;
  /** See `Processor.light`. */
  readonly light?: true;
}

const destination = (kind = 'data-sinks'): DataSource => ({
  ...{ topic: `persistent://test/${kind}/${randomUUID()}`, messageSchema: 'bytes' },
  ...{ connectionOptions: {}, headers: {}, messageHeaders: {}, subscriptions: {} },
});

const planOf = (links: readonly LinkPlan[], owner: string): UploadPlan => {
  const dataSource = destination('data-sources');
  const destinations = new Map(links.map(({ id }) => [id, destination('persistent-data-sinks')]));
  const streamId = randomUUID();
  const chain = links.map(
    ({ id, after = null, mode = 'batch', declarationId = id, inputSchema = 'bytes', operationType = 'LLM_PROCESSING' }): ChainLink => ({
      ...{ processorId: id, declarationId, operationType, previousProcessorId: after, mode },
      ...{ inputSchema, outputSchema: 'bytes' },
    }),
  );
  const processors = links.map(({ id, after, properties = {} }) => {
    const { topic } = (after && destinations.get(after)) || dataSource;
    return {
      ...{ id, properties, destination: destinations.get(id) ?? dataSource },
      source: { subscription: `${id}-abcde`, topic, messageSchema: 'bytes', connectionOptions: {}, headers: {} },
      ...{ clusterDomainName: null, podsDiscoveryClusterDomainName: null, propertiesSchema: 'none' },
      egress: { persist: true, sink: true, tags: [id] },
    };
  });
  const template = { streamConfigurationTemplateId: '65f46430c6d8985974ff9c9d', dataSinks: {}, dynamicWebhookEndpoints: [] };
  return {
    ...{
      streamId,
      groupId: streamId,
      name: 'test',
      labels: [],
      fileName: null,
      owner,
      templateVersion: 1,
      persist: true,
      chain,
      webhooks: [],
      idempotency: null,
    },
    configuration: { ...template, dataSource, processors },
  };
};

/** The real embedded stores in a directory of the test, and a runner on them. */
export const runnerRig = async () => {
  const dataDir = temporaryDirectory();
  const clock = systemClock;
  const store = await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir, clock });
  const documents = await openEmbeddedDocuments({
    startWriter: documentsWriterInThread,
    file: join(dataDir, 'views.db'),
    durability: 'NORMAL',
  });
  const vault = await openEmbeddedDocuments({ startWriter: documentsWriterInThread, file: join(dataDir, 'vault.db'), durability: 'FULL' });
  const topics = await openEmbeddedTopics({ directory: join(dataDir, 'topics'), clock, rows: store.topicRows });
  const keys = await openKeys({ vault, masterKey: randomBytes(32), clock });
  const leases = await openLoneLeases({ documents, clock, holder: 'test' });
  const log = openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock });
  await documents.ensureCollection(OPEN_STREAMS);
  const limits = { clock, limit: 1_000, totalLimit: 1_000, node: async () => null };
  const runningStreams = new SharedRunning({ documents, ...limits });
  const by = { subject: OWNER, actor: 'test', correlationId: 'test', causationId: 'test' };
  const deps = { log, keys, runningStreams, clock, topics };

  const start = (steps: Record<string, Step> | Processors, options: RunnerOptions = {}) => {
    const { light, disk = DISK_ELSEWHERE } = options;
    const processors =
      'list' in steps && typeof steps.list === 'function' ? (steps as Processors) : stepsOf(steps as Record<string, Step>, light);
    const {
      concurrency = 2,
      maxAttempts = 3,
      engineRetryMilliseconds = 0,
      mediaMaxSeconds = 60,
      documents: reached = documents,
      leases: own = leases,
      topics: written = topics,
      log: appended = log,
    } = options;
    const workDirectory = join(dataDir, 'work');
    const stores = {
      log: appended,
      topics: written,
      disk,
      documents: reached,
      runningStreams: new SharedRunning({ documents: reached, ...limits }),
      leases: own,
      clock: options.clock ?? clock,
      logger: silentLogger,
      tracing: noTracing,
    };
    const rest = {
      processors,
      priceList: SHIPPED_PRICE_LIST,
      admission: new Admission(concurrency, 4),
      maxAttempts,
      engineRetryMilliseconds,
      mediaLimits: { maxSeconds: mediaMaxSeconds },
      node: 'test',
      workDirectory,
    };
    const runner = new Runner({ ...stores, ...rest });
    const stopping = new AbortController();
    const running = runner.start(stopping.signal);
    const stop = async () => {
      stopping.abort();
      await running;
    };
    stops.push(stop);
    return { runner, stop };
  };
  const stops: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const stop of stops) await stop();
    await leases.close();
    for (const opened of [topics, vault, documents, store]) await opened.close();
  });

  const begin = async (links: readonly LinkPlan[], owner = OWNER) => {
    const plan = planOf(links, owner);
    const source = topicId(plan.configuration.dataSource.topic);
    await topics.create(source);
    await beginUpload({ ...deps, limits: DEFAULT_LIMITS }, plan, { ...by, subject: owner });
    const outputOf = (id: string) => topicId(plan.configuration.processors.find((one) => one.id === id)?.destination.topic ?? '');
    return {
      ...{ streamId: plan.streamId, source, outputOf },
      write: (data: string | Uint8Array) => topics.append(source, [Buffer.from(data)]),
      end: async () => {
        const { frames, bytes, sha256 } = await topics.seal(source);
        await completeUpload(deps, { streamId: plan.streamId, frames, bytes, sha256 }, by);
      },
    };
  };

  return {
    ...{ dataDir, log, topics, documents, deps, by, start, begin },
    upload: async (links: readonly LinkPlan[], data: string | Uint8Array = 'some bytes', owner = OWNER) => {
      const upload = await begin(links, owner);
      await upload.write(data);
      await upload.end();
      return upload;
    },
    state: async (streamId: string): Promise<StreamAggregate> => {
      const state = await loadStream(log, streamId);
      if (!state) throw new Error('no such stream');
      return state;
    },
    eventsOf: async (streamId: string) => (await log.readStream(`stream-${streamId}`)).map(({ type, data }) => ({ type, data })),
    read: async (topic: string, follow = false): Promise<string> => {
      const chunks: Uint8Array[] = [];
      for await (const { data } of topics.read(topic, { follow })) chunks.push(data);
      return Buffer.concat(chunks).toString();
    },
  };
};

/** Processors by the ids of their links. */
const stepsOf = (steps: Record<string, Step>, light?: true): Processors => {
  const declaration = declarationOf('echo');
  if (!declaration) throw new Error('no echo');
  const all = new Map(
    Object.entries(steps).map(([id, step]): [string, Processor] => [
      id,
      { declaration, mode: 'batch', ...(light && { light }), unavailable: () => null, run: (context) => step(context, id) },
    ]),
  );
  return { get: (id) => all.get(id), list: () => [...all.values()] };
};
