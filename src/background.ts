import { setMaxListeners } from 'node:events';
import { wayOut } from './addressGuard/agent.ts';
import { forgetStates } from './commands/handle.ts';
import { rerunQueues } from './commands/reruns/rerunQueues.ts';
import { TemplateLibrary } from './commands/templateLibrary.ts';
import { type Config, type NodeRole, retentionOf } from './config.ts';
import type { Deliverer } from './delivery/deliverer.ts';
import { type DeliverySettings, openDeliverer } from './delivery/openDeliverer.ts';
import { holdsExcerpts } from './delivery/send/excerpts.ts';
import { holdsFormerExcerpts } from './delivery/send/formerExcerpts.ts';
import type { NodeQueues } from './nodeQueues.ts';
import type { Platform } from './platform.ts';
import { failBrokenUploads, runGoneNodesPolicy } from './policies/brokenUploads.ts';
import { runGroupsPolicy } from './policies/groups.ts';
import { runOpenStreamsPolicy } from './policies/openStreams.ts';
import { runRerunsPolicy } from './policies/reruns.ts';
import { runResumableUploadsPolicy } from './policies/resumableUploads.ts';
import { runRetentionPolicy } from './policies/retention.ts';
import { runSealingPolicy } from './policies/sealing.ts';
import { stageCheck } from './processors/availability.ts';
import type { Processors } from './processors/registry.ts';
import { Runner } from './processors/runner/runner.ts';
import { reportStart } from './projections/engine/startProgress.ts';
import { openUserIndex } from './projections/userIndex.ts';
import type { ConsumerProgress } from './stores/consumers/consumer.ts';
import { followErasures } from './stores/log/erasures.ts';
import { checkStores } from './stores/storeChecks.ts';
import { consumerMetrics, deliveryGauges, nodeGauges, projectionGauges } from './telemetry/gauges.ts';
import { runnerMetrics } from './telemetry/processorRuns.ts';
import { userAgentOf } from './userAgent.ts';
import { VERSION } from './version.ts';

/** The background work of a node: read models, policies, processors, webhooks. */
export interface Background {
  /** Resolves when the read models can be read. If one stops while it is built, this waits until its event is skipped. */
  ready(): Promise<void>;
  queues(): NodeQueues;
  /** Stops the work. Runs of processors are aborted without an outcome and repeated at the next start. */
  stop(): Promise<void>;
}

/** Starts the roles in the settings. */
export const startBackground = async (platform: Platform, processors: Processors): Promise<Background> => {
  const { config, engine, metrics, nodes } = platform;
  const roles = new Set<NodeRole>(config.roles);
  const stopping = new AbortController();
  const { signal } = stopping;
  // All background work listens to it.
  setMaxListeners(0, signal);
  const running: Promise<void>[] = [];
  const leaving = new AbortController();
  let joined: Promise<void> = Promise.resolve();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.allSettled(running);
    await engine.finished();
    // Last: work that is being finished still writes topics, which name this node.
    leaving.abort();
    await joined;
  };
  const progress = new Map<string, ConsumerProgress>();
  try {
    if (platform.exclusive) await giveUpBrokenUploads(platform);
    nodeGauges(metrics, platform, { version: VERSION, roles: config.roles, stores: () => checkStores(platform) });
    if (roles.has('projections')) await engine.start(signal);
    else await engine.observe(signal);
    running.push(reportStart(platform, signal));
    if (roles.has('projections')) projectionGauges(metrics, platform);
    if (roles.has('policies')) consumerMetrics(metrics, progress, platform.clock);
    joined = nodes.join(config.roles, leaving.signal);
    running.push(platform.credentialUses.runUntil(signal));
    if (roles.has('policies')) running.push(...startPolicies(platform, processors, progress, signal));
    const runner = roles.has('processors') ? openNodeRunner(platform, processors) : null;
    if (runner) running.push(runner.start(signal));
    const deliverer = roles.has('delivery')
      ? openDeliverer({ ...platform, index: openUserIndex(platform.readModels, platform.log) }, deliverySettings(config))
      : null;
    if (deliverer) {
      deliveryGauges(metrics, () => deliverer.load());
      running.push(deliverer.run(signal));
    }
    const forget = () => {
      forgetStates(platform.log);
      engine.forget();
      deliverer?.forget();
    };
    running.push(followErasures({ ...platform, forget }, signal));
    return { ready: () => engine.whenReady(signal), queues: () => queuesOf(runner, deliverer), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const giveUpBrokenUploads = async ({ log, documents, runningStreams, logger }: Platform): Promise<void> => {
  const broken = await failBrokenUploads({ log, documents, runningStreams });
  if (broken > 0) logger.warn({ uploads: broken }, 'failing uploads that were open when the server last ended');
};

type Progress = Map<string, ConsumerProgress>;

const startPolicies = (platform: Platform, processors: Processors, progress: Progress, signal: AbortSignal): Promise<void>[] => {
  const { config, clock, documents } = platform;
  const deps = { ...platform, progress };
  const isKept = async (topic: string) =>
    holdsExcerpts(topic, clock.now()) ||
    (await platform.resumableUploads.hasTopic(topic)) ||
    (await holdsFormerExcerpts(documents, clock, topic));
  const periods = retentionOf(config);
  return [
    runOpenStreamsPolicy({ ...deps, periods }, signal),
    runGroupsPolicy(deps, signal),
    runRetentionPolicy({ ...deps, periods, isKept }, signal),
    runResumableUploadsPolicy(deps, signal),
    runRerunsPolicy({ ...deps, ...rerunning(platform, processors) }, signal),
    runSealingPolicy({ ...platform, ...sealing(config) }, signal),
    runGoneNodesPolicy(deps, signal),
  ];
};

const rerunning = ({ log, documents, schemas, disk, logUsage }: Platform, processors: Processors) => ({
  queues: rerunQueues(documents),
  templates: new TemplateLibrary(log),
  checkStages: stageCheck(processors, schemas),
  mayWrite: (subject: string) => disk.shortage() === null && logUsage.retryAfter(subject) === null,
});

const openNodeRunner = (platform: Platform, processors: Processors): Runner => {
  const { config } = platform;
  const runner = new Runner({
    ...platform,
    processors,
    maxAttempts: config.maxAttempts,
    engineRetryMilliseconds: config.engineRetryS * 1_000,
    mediaLimits: { maxSeconds: config.mediaMaxSeconds },
    node: 'processors',
  });
  runnerMetrics(platform.metrics, () => runner.load());
  return runner;
};

const queuesOf = (runner: Runner | null, deliverer: Deliverer | null): NodeQueues => {
  const { running, waiting } = runner?.load() ?? { running: {}, waiting: {} };
  const { due, scheduled, inFlight } = deliverer?.load() ?? { due: 0, scheduled: 0, inFlight: 0 };
  const waits = new Map(Object.entries(waiting));
  return {
    runs: Object.entries(running).map(([lane, now]) => ({ lane, running: now, waiting: waits.get(lane) ?? 0 })),
    deliveries: { due, scheduled, inFlight },
  };
};

const deliverySettings = (config: Config): DeliverySettings => ({
  schedule: { baseMilliseconds: config.webhookRetryBaseMs, windowMilliseconds: config.webhookRetryWindowMs },
  limits: {
    attempts: config.webhookConcurrency,
    slowAttempts: config.webhookSlowConcurrency,
    timeoutMilliseconds: config.webhookTimeoutMs,
  },
  guard: wayOut(config.webhookAllowCidrs, config.webhookProxyUrl),
  userAgent: userAgentOf(config),
});

const sealing = ({ sealEvents, sealIntervalS }: Config) => ({ events: sealEvents, seconds: sealIntervalS });
