import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { parseRanges } from '../src/addressGuard/ranges.ts';
import { systemClock } from '../src/clock.ts';
import { saveWebhookEndpoint } from '../src/commands/webhookEndpoints.ts';
import { openDeliverer } from '../src/delivery/openDeliverer.ts';
import type { UserIndex } from '../src/delivery/requests/userIndex.ts';
import { EVENT_SCHEMAS } from '../src/domain/eventSchemas.ts';
import { DEFAULT_LIMITS } from '../src/limits.ts';
import { silentLogger } from '../src/logger.ts';
import { DISK_ELSEWHERE } from '../src/stores/diskSpace.ts';
import { openEmbeddedDocuments } from '../src/stores/embedded/documents.ts';
import { openEmbeddedEventStore } from '../src/stores/embedded/eventStore.ts';
import { openEmbeddedTopics } from '../src/stores/embedded/topics.ts';
import { openLoneLeases } from '../src/stores/leases/loneLeases.ts';
import { aloneNode } from '../src/stores/leases/nodes.ts';
import { openEventLog } from '../src/stores/log/openEventLog.ts';
import { noTracing } from '../src/tracing.ts';

/**
 * Receivers in their own thread, on `count` ports: those from `hanging` on never answer. Reports every quarter second the number of requests, and
 * the age of the event (its `timestamp`) for answered ones.
 */
const RECEIVERS = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
let received = 0;
let latencies = [];
const hear = (hangs) => (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (hangs) return;
    received += 1;
    if (workerData.latencies) latencies.push(Date.now() - Number(/"timestamp":(\\d+)/.exec(Buffer.concat(chunks).toString())[1]));
    response.writeHead(204).end();
  });
};
const listen = (n) => new Promise((resolve) => {
  const server = createServer({ keepAliveTimeout: 60000 }, hear(n >= workerData.hanging));
  server.listen(0, '127.0.0.1', () => resolve(server.address().port));
});
Promise.all(Array.from({ length: workerData.count }, (_, n) => listen(n))).then((ports) => {
  parentPort.postMessage({ ports });
  setInterval(() => {
    parentPort.postMessage({ received, latencies });
    latencies = [];
  }, 20);
});
`;

export interface Receivers {
  readonly urls: readonly string[];
  /** Requests answered so far. */
  received(): number;
  /** Ages of the events of requests answered since the last call, in milliseconds. */
  latencies(): number[];
  close(): Promise<void>;
}

export const startReceivers = async (count: number, { hanging = count, latencies = false } = {}): Promise<Receivers> => {
  const worker = new Worker(RECEIVERS, { eval: true, workerData: { count, hanging, latencies } });
  let [received, measured]: [number, number[]] = [0, []];
  const ports = await new Promise<number[]>((resolve) => {
    worker.on('message', (message: { ports?: number[]; received?: number; latencies?: number[] }) => {
      if (message.ports) resolve(message.ports);
      received = message.received ?? received;
      measured.push(...(message.latencies ?? []));
    });
  });
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/`),
    received: () => received,
    latencies: () => {
      const taken = measured;
      measured = [];
      return taken;
    },
    close: async () => void (await worker.terminate()),
  };
};

/** No bench resends or recovers. */
const index: UserIndex = {
  reached: async () => true,
  eventStreams: async () => [],
  startedBefore: async () => null,
  deliveries: async () => new Map(),
  outdated: async function* () {},
  sealListeners: async () => new Set(),
};

/** The embedded stores with a deliverer, as in a server. `directory`: of an earlier rig. */
export const openDeliveryStores = async (directory: string) => {
  const clock = systemClock;
  const store = await openEmbeddedEventStore({ dataDir: directory, clock });
  const documents = await openEmbeddedDocuments({ file: join(directory, 'views.db'), durability: 'NORMAL' });
  const topics = await openEmbeddedTopics({ directory: join(directory, 'topics'), clock });
  const leases = await openLoneLeases({ documents, clock, holder: 'bench' });
  // The same in every process, so that another node can read what this one has written.
  const key = Buffer.alloc(32, 7);
  const keys = { subjectKey: async () => key, eventStreamKey: async () => key, derive: (_purpose: string) => key };
  const log = openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock });
  return {
    log,
    store,
    endpoint: (subject: string, url: string, events: string[]) =>
      saveWebhookEndpoint(
        { log },
        { endpointId: null, settings: { url, events, enabled: true, description: null, payload: 'full' }, ifMatch: null },
        by(subject),
      ),
    start: (attempts = 256) => {
      const stopping = new AbortController();
      const deliverer = openDeliverer(
        {
          log,
          store,
          documents,
          topics,
          disk: DISK_ELSEWHERE,
          leases,
          nodes: aloneNode,
          keys,
          limits: DEFAULT_LIMITS,
          clock,
          logger: silentLogger,
          tracing: noTracing,
          index,
        },
        {
          schedule: { baseMilliseconds: 5_000, windowMilliseconds: 3 * 3_600_000 },
          limits: { attempts, slowAttempts: 4_096, timeoutMilliseconds: 15_000 },
          guard: { allow: parseRanges('127.0.0.0/8'), resolve: async () => [] },
        },
      );
      const run = deliverer.run(stopping.signal);
      return async () => {
        stopping.abort();
        await run;
      };
    },
    close: async () => {
      await leases.close();
      await Promise.all([store.close(), documents.close(), topics.close()]);
    },
  };
};

export type DeliveryStores = Awaited<ReturnType<typeof openDeliveryStores>>;

const by = (subject: string) => ({ subject, actor: 'bench', correlationId: 'bench', causationId: 'bench' });

/** A group with a new stream: 1 KiB of webhook, without the size of a whole stream. Resolves when it is in the log. */
export const joinStream = async ({ log }: DeliveryStores, subject: string): Promise<void> => {
  const groupId = randomUUID();
  const webhooks = [{ url: `https://example.org/${'x'.repeat(300)}`, events: ['group.expired'] }];
  await log.append(
    `group-${groupId}`,
    { revision: 'no stream', hash: null },
    [
      { type: 'GroupCreated', data: { groupId, creatorId: subject } },
      { type: 'StreamJoined', data: { groupId, streamId: groupId, streamSubject: subject, webhooks } },
    ],
    by(subject),
  );
};

export const freshDirectory = (): { path: string; remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'tributary-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};

export const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
