import type { WayOut } from '../addressGuard/agent.ts';
import type { Clock } from '../clock.ts';
import { WebhookSecrets } from '../commands/webhookSecrets.ts';
import type { Limits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import type { DiskSpace } from '../stores/diskSpace.ts';
import type { Documents } from '../stores/documents.ts';
import type { EventStore } from '../stores/eventStore.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import type { Leases } from '../stores/leases/leases.ts';
import type { ClusterNode } from '../stores/leases/nodes.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import type { Topics } from '../stores/topics.ts';
import type { Tracing } from '../tracing.ts';
import { Deliverer } from './deliverer.ts';
import { EventContexts } from './plan/eventContexts.ts';
import { Dispatcher } from './queue/dispatcher.ts';
import type { AttemptLimits } from './queue/flights.ts';
import type { UserIndex } from './requests/userIndex.ts';
import type { RetryTimes } from './retryRules.ts';
import { Bodies } from './send/bodies.ts';
import { Excerpts } from './send/excerpts.ts';
import { openSender } from './send/sender.ts';

export interface DeliveryDeps {
  readonly log: EventLog;
  readonly store: Pick<EventStore, 'setRetention'>;
  readonly documents: Documents;
  readonly topics: Topics;
  readonly disk: DiskSpace;
  readonly leases: Leases;
  readonly keys: Pick<Keys, 'derive'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<Limits, 'webhooksPerOrigin' | 'webhookHoldFailures' | 'webhookHoldS'>;
  readonly nodes: { alive(): Promise<readonly Pick<ClusterNode, 'roles'>[]> };
  readonly tracing: Tracing;
  readonly index: UserIndex;
}

const DELIVERY_ROLE = 'delivery';

export interface DeliverySettings {
  readonly schedule: RetryTimes;
  readonly limits: AttemptLimits;
  readonly guard: WayOut;
  readonly userAgent?: string;
  /** Between two saves of the checkpoints. Long, because each save writes all endpoints of a user, and there may be 50,000. */
  readonly saveMilliseconds?: number;
  /** From 0 to 1; default: the machine's own. */
  readonly random?: () => number;
}

/** Builds the deliverer of a node from its parts. It has not started. */
export const openDeliverer = (
  deps: DeliveryDeps,
  { schedule, limits, guard, userAgent, saveMilliseconds = 10_000, random = Math.random }: DeliverySettings,
): Deliverer => {
  const { log, clock, keys } = deps;
  const { webhooksPerOrigin, webhookHoldFailures: holdFailures, webhookHoldS } = deps.limits;
  const perOrigin = { attempts: webhooksPerOrigin, holdFailures, holdMilliseconds: webhookHoldS * 1_000 };
  const contexts = new EventContexts(log);
  return new Deliverer({
    ...deps,
    deliverers: async () => (await deps.nodes.alive()).filter(({ roles }) => roles.includes(DELIVERY_ROLE)).length,
    logger: deps.logger.child({ role: 'delivery' }),
    contexts,
    bodies: new Bodies(log, contexts),
    excerpts: new Excerpts(deps),
    sender: openSender({
      guard: { ...guard, timeoutMilliseconds: limits.timeoutMilliseconds },
      clock,
      ...(userAgent !== undefined && { userAgent }),
    }),
    dispatcher: new Dispatcher(clock, limits, perOrigin),
    secrets: new WebhookSecrets(keys),
    schedule,
    saveMilliseconds,
    random,
  });
};
