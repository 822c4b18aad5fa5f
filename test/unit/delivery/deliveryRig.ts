import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseRanges } from '../../../src/addressGuard/ranges.ts';
import type { Resolve } from '../../../src/addressGuard/resolve.ts';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { saveWebhookEndpoint, toggleWebhookEndpoint } from '../../../src/commands/webhookEndpoints.ts';
import { WebhookSecrets } from '../../../src/commands/webhookSecrets.ts';
import { type DeliveryDeps, type DeliverySettings, openDeliverer } from '../../../src/delivery/openDeliverer.ts';
import { type DeliveryEvent, deliveryEventStream, isDeliveryEvent, type RecordedAttempt } from '../../../src/domain/delivery/events.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import type { EndpointDraft } from '../../../src/domain/webhookEndpoints/decisions.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../src/limits.ts';
import { type Logger, silentLogger } from '../../../src/logger.ts';
import { deliveriesProjection } from '../../../src/projections/deliveries.ts';
import { endpointsProjection } from '../../../src/projections/endpoints.ts';
import { openProjectionEngine } from '../../../src/projections/engine/projectionEngine.ts';
import { groupsProjection } from '../../../src/projections/groups.ts';
import { openReadModels } from '../../../src/projections/openReadModels.ts';
import { streamsProjection } from '../../../src/projections/streams.ts';
import { openUserIndex } from '../../../src/projections/userIndex.ts';
import { DISK_ELSEWHERE } from '../../../src/stores/diskSpace.ts';
import type { Documents } from '../../../src/stores/documents.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import { openKeys } from '../../../src/stores/keys/openKeys.ts';
import type { Leases } from '../../../src/stores/leases/leases.ts';
import { aloneNode } from '../../../src/stores/leases/nodes.ts';
import type { DomainEvent, EventLog, RecordedEvent, StreamHead } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { noTracing } from '../../../src/tracing.ts';
import { eventually } from '../../eventually.ts';
import { MemoryLeases } from '../../fakes/memoryLeases.ts';
import { link, OWNER, streamCreated } from '../../fakes/streamStory.ts';
import { Receiver } from '../../receiver.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread, logWriterInThread } from '../../writersInThread.ts';

export interface RigOptions {
  readonly clock?: Clock;
  readonly directory?: string;
}

export interface NodeOptions extends Partial<Pick<DeliverySettings, 'random' | 'saveMilliseconds'>> {
  readonly resolve?: Resolve;
  readonly allow?: string;
  readonly baseMilliseconds?: number;
  readonly windowMilliseconds?: number;
  readonly timeoutMilliseconds?: number;
  readonly leases?: Leases;
  readonly nodes?: DeliveryDeps['nodes'];
  readonly log?: EventLog;
  readonly documents?: Documents;
  readonly index?: DeliveryDeps['index'];
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly limits?: Partial<Limits>;
}

const noName: Resolve = async () => {
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
};

/** The real embedded stores, users with endpoints, streams with events, and delivering nodes. */
export const deliveryRig = async ({ clock = systemClock, directory = temporaryDirectory() }: RigOptions = {}) => {
  const [store, documents, vault, topics] = await Promise.all([
    openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir: directory, clock }),
    openEmbeddedDocuments({ startWriter: documentsWriterInThread, file: join(directory, 'views.db'), durability: 'NORMAL' }),
    openEmbeddedDocuments({ startWriter: documentsWriterInThread, file: join(directory, 'vault.db'), durability: 'NORMAL' }),
    openEmbeddedTopics({ directory: join(directory, 'topics'), clock }),
  ]);
  const keys = await openKeys({ vault, masterKey: Buffer.alloc(32, 7), clock });
  const log = openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock });
  const heads = new Map<string, StreamHead>();
  const running: (() => Promise<void>)[] = [];
  const projections = [streamsProjection, groupsProjection, deliveriesProjection, endpointsProjection];
  const leases = new MemoryLeases();
  const engine = await openProjectionEngine({ log, documents, leases, clock: systemClock, logger: silentLogger, projections });
  const folding = new AbortController();
  await engine.start(folding.signal);
  const by = (subject: string) => ({ subject, actor: 'test', correlationId: 'c', causationId: 'c' });

  const append = async (eventStream: string, events: readonly DomainEvent[], subject: string = OWNER): Promise<RecordedEvent[]> => {
    const appended = await log.append(eventStream, heads.get(eventStream) ?? { revision: 'no stream', hash: null }, events, by(subject));
    heads.set(eventStream, appended.head);
    return appended.events;
  };

  const rig = {
    directory,
    clock,
    store,
    documents,
    topics,
    keys,
    log,
    index: openUserIndex(openReadModels({ engine, documents, log }), log),
    secrets: new WebhookSecrets(keys),
    append,
    by,
    /** Creates an endpoint of a user, or replaces the one with `endpointId`. Returns its id. */
    endpoint: async (
      url: string,
      events: string[] = ['*'],
      subject: string = OWNER,
      { endpointId = null, payload = null, ...changes }: { endpointId?: string | null } & Partial<EndpointDraft> = {},
    ): Promise<string> => {
      const settings = { url, events, enabled: true, description: null, payload, ...changes };
      return (await saveWebhookEndpoint({ log }, { endpointId, settings, ifMatch: null }, by(subject))).endpointId;
    },
    /** A new stream; answers its id. It gives `stream.ready` and `gateway.connected`. */
    stream: async (
      webhooks: { url: string; events: string[] }[] = [],
      subject: string = OWNER,
      changes: Parameters<typeof streamCreated>[1] = {},
    ): Promise<string> => {
      const streamId = randomUUID();
      const created = streamCreated([link('echo', null)], {
        streamId,
        groupId: streamId,
        creatorId: subject,
        groupCreatorId: subject,
        ...changes,
      });
      const dynamicWebhookEndpoints = webhooks.map(({ url, events }, n) => ({
        id: randomUUID().replace(/^./, String(n)),
        url,
        events,
        enabled: true,
        description: null,
        disabledReason: null,
        disabledTimestamp: null,
      }));
      created.data.configuration = { ...created.data.configuration, dynamicWebhookEndpoints };
      await append(`stream-${streamId}`, [created], subject);
      return streamId;
    },
    node: (options: NodeOptions = {}) => {
      const stopping = new AbortController();
      const delivery = openDeliverer(
        {
          log: options.log ?? log,
          store,
          tracing: noTracing,
          index: options.index ?? rig.index,
          documents: options.documents ?? documents,
          topics,
          disk: DISK_ELSEWHERE,
          keys,
          limits: { ...DEFAULT_LIMITS, ...options.limits },
          clock: options.clock ?? clock,
          leases: options.leases ?? new MemoryLeases(),
          nodes: options.nodes ?? aloneNode,
          logger: options.logger ?? silentLogger,
        },
        {
          schedule: { baseMilliseconds: options.baseMilliseconds ?? 50, windowMilliseconds: options.windowMilliseconds ?? 10_000 },
          limits: { attempts: 256, slowAttempts: 4_096, timeoutMilliseconds: options.timeoutMilliseconds ?? 5_000 },
          guard: { allow: parseRanges(options.allow ?? '127.0.0.0/8'), resolve: options.resolve ?? noName },
          random: options.random ?? (() => 0.5),
          ...(options.saveMilliseconds !== undefined && { saveMilliseconds: options.saveMilliseconds }),
        },
      );
      const run = delivery.run(stopping.signal);
      const stop = async () => {
        stopping.abort();
        await run;
      };
      running.push(stop);
      return { stop };
    },
    facts: async (subject: string = OWNER): Promise<(RecordedEvent & DeliveryEvent)[]> =>
      (await log.readStream(deliveryEventStream(subject))).filter(isDeliveryEvent),
    attempts: async (subject: string = OWNER): Promise<RecordedAttempt[]> =>
      (await rig.facts(subject)).flatMap((fact) => (fact.type === 'AttemptsRecorded' ? fact.data.attempts : [])),
    /** Waits until this many attempts are recorded. */
    attempted: (count: number, subject: string = OWNER): Promise<RecordedAttempt[]> =>
      eventually(async () => {
        const attempts = await rig.attempts(subject);
        return attempts.length >= count && attempts;
      }, 10_000),
    close: async () => {
      for (const stop of running.splice(0)) await stop();
      folding.abort();
      await engine.finished();
      await Promise.all([store.close(), documents.close(), vault.close(), topics.close()]);
    },
  };
  onTestFinished(async () => {
    await rig.close().catch(() => undefined);
  });
  return rig;
};

export type DeliveryRig = Awaited<ReturnType<typeof deliveryRig>>;

export const receiver = async (): Promise<Receiver> => {
  const started = await Receiver.start();
  onTestFinished(() => started.close());
  return started;
};

export const toggle = (rig: DeliveryRig, endpointId: string, enabled: boolean) =>
  toggleWebhookEndpoint(rig, { endpointId, enabled, ifMatch: null }, rig.by(OWNER));

/** The answers to this many requests. */
export const answers = (rig: DeliveryRig, count: number): Promise<object[]> =>
  eventually(async () => {
    const facts = (await rig.facts()).flatMap((fact) => (fact.type === 'DeliveriesRecovered' && fact.data.last ? fact.data : []));
    return facts.length >= count && facts;
  });
