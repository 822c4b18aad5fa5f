import { parseRanges } from './addressGuard/ranges.ts';
import { openResolver } from './addressGuard/resolve.ts';
import type { Config, NodeRole } from './config.ts';
import { holdsExcerpts } from './delivery/excerpts.ts';
import { type DeliverySettings, openDelivery } from './delivery/openDelivery.ts';
import { consumerMetrics, deliveryGauges, nodeGauges, projectionGauges } from './metrics/gauges.ts';
import { runnerMetrics } from './metrics/processorRuns.ts';
import type { Platform } from './platform.ts';
import { failBrokenUploads } from './policies/brokenUploads.ts';
import { runCompletionPolicy } from './policies/completion.ts';
import { runGroupsPolicy } from './policies/groups.ts';
import { runRetentionPolicy } from './policies/retention.ts';
import { runSealingPolicy } from './policies/sealing.ts';
import type { Processors } from './processors/registry.ts';
import { openRunner } from './processors/runner/runner.ts';
import type { ConsumerProgress } from './stores/consumer.ts';
import { checkStores } from './stores/storeChecks.ts';
import { VERSION } from './version.ts';

/** What goes on by itself: read models, policies, processors, webhooks. */
export interface Background {
  /** Resolves when the read models can be read. One that stops while it is built keeps this waiting until its event is skipped. */
  ready(): Promise<void>;
  /** Stops it; runs of processors are given up without an outcome and come again at the next start. */
  stop(): Promise<void>;
}

/** Starts the roles that the settings name. */
export const startBackground = async (platform: Platform, processors: Processors): Promise<Background> => {
  const { config, clock, engine, log, logger, metrics, priceList, topics, views: documents, slots, leases } = platform;
  const roles = new Set<NodeRole>(config.roles);
  const stopping = new AbortController();
  const running: Promise<void>[] = [];
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.allSettled(running);
    await engine.finished();
  };
  const progress = new Map<string, ConsumerProgress>();
  const deps = { log, documents, leases, clock, logger, slots, progress };
  try {
    const broken = await failBrokenUploads({ log, documents, slots });
    if (broken > 0) logger.warn({ uploads: broken }, 'uploads that were going on when the server last ended are given up');
    nodeGauges(metrics, platform, { version: VERSION, roles: config.roles, stores: () => checkStores(platform) });
    if (roles.has('projections')) await engine.start(stopping.signal);
    else await engine.observe(stopping.signal);
    if (roles.has('projections')) projectionGauges(metrics, platform);
    if (roles.has('policies') || roles.has('processors')) consumerMetrics(metrics, progress, clock);
    const isKept = (topic: string) => holdsExcerpts(platform.views, topic);
    if (roles.has('policies')) running.push(runCompletionPolicy(deps, stopping.signal), runGroupsPolicy(deps, stopping.signal));
    if (roles.has('policies'))
      running.push(runRetentionPolicy({ ...platform, ...deps, periods: retentionPeriods(config), isKept }, stopping.signal));
    if (roles.has('policies')) running.push(runSealingPolicy({ ...platform, ...sealing(config) }, stopping.signal));
    if (roles.has('processors')) {
      const runner = openRunner({
        ...deps,
        topics,
        processors,
        priceList,
        alone: platform.exclusive,
        concurrency: config.processorConcurrency,
        maxAttempts: config.maxAttempts,
        node: 'processors',
        workDirectory: platform.workDirectory,
      });
      runnerMetrics(metrics, () => runner.load());
      running.push(runner.start(stopping.signal));
    }
    if (roles.has('delivery')) {
      const deliverer = openDelivery({ ...platform, documents }, deliverySettings(config));
      deliveryGauges(metrics, () => deliverer.load());
      running.push(deliverer.run(stopping.signal));
    }
    return { ready: () => engine.whenReady(stopping.signal), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const deliverySettings = (config: Config): DeliverySettings => ({
  schedule: { baseMilliseconds: config.webhookRetryBaseMs, windowMilliseconds: config.webhookRetryWindowMs },
  limits: {
    attempts: config.webhookConcurrency,
    slowAttempts: config.webhookSlowConcurrency,
    timeoutMilliseconds: config.webhookTimeoutMs,
  },
  allow: parseRanges(config.webhookAllowCidrs),
  resolve: openResolver(),
});

const sealing = ({ sealEvents, sealIntervalS }: Config) => ({ events: sealEvents, seconds: sealIntervalS });

const retentionPeriods = ({ retentionEphemeralS, retentionPersistentS }: Config) => ({
  ephemeral: retentionEphemeralS * 1_000,
  persistent: retentionPersistentS * 1_000,
});
