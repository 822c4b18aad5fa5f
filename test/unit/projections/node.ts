import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import type { JsonObject } from '../../../src/json.ts';
import { silentLogger } from '../../../src/logger.ts';
import type { AnyProjection } from '../../../src/projections/engine/fold.ts';
import { openProjectionEngine } from '../../../src/projections/engine/projectionEngine.ts';
import { openReadModels } from '../../../src/projections/openReadModels.ts';
import type { Projection } from '../../../src/projections/projection.ts';
import type { Documents } from '../../../src/stores/documents.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { openEmbeddedEventStore } from '../../../src/stores/embedded/eventStore.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import type { EventLog, EventSchemas, StreamHead } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { MemoryLeases } from '../../fakes/memoryLeases.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread, logWriterInThread } from '../../writersInThread.ts';

const member = { type: 'object' };
const SCHEMAS = {
  Added: { version: 1, schema: member },
  Removed: { version: 1, schema: member },
  Noise: { version: 1, schema: member },
};

export interface Sum {
  sum: number;
  parity: string;
  revision: string;
}

/** One document an event stream: the sum of what was added. `Removed` deletes it. */
export const sums = (options: { version?: number; name?: string; poison?: (by: number) => boolean } = {}): Projection<Sum> => ({
  name: options.name ?? 'sums',
  version: options.version ?? 1,
  indexes: [['parity']],
  handles: ['Added', 'Removed'],
  idsOf: (event) => [event.eventStream],
  evolve: (document, event) => {
    if (event.type === 'Removed') return null;
    const by = (event.data as { by: number }).by;
    if (options.poison?.(by)) throw new Error(`cannot add ${by}`);
    const sum = (document?.sum ?? 0) + by * (options.version ?? 1);
    return { sum, parity: sum % 2 === 0 ? 'even' : 'odd', revision: String(event.revision) };
  },
});

export const asProjections = (...projections: Projection<Sum>[]): AnyProjection[] => projections;

export interface Platform {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly leases: MemoryLeases;
  readonly keys: MemoryKeys;
  append(eventStream: string, type: string, data?: JsonObject): Promise<Position>;
}

/** A real log and real documents in a fresh directory. */
export const openPlatform = async (options: { schemas?: EventSchemas; clock?: Clock; subject?: string } = {}): Promise<Platform> => {
  const { schemas = SCHEMAS, clock = systemClock, subject = 'someone' } = options;
  const dataDir = temporaryDirectory();
  const store = await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir, clock: systemClock });
  const documents = await openEmbeddedDocuments({
    startWriter: documentsWriterInThread,
    file: join(dataDir, 'views.db'),
    durability: 'NORMAL',
  });
  onTestFinished(async () => {
    await documents.close();
    await store.close();
  });
  const keys = new MemoryKeys();
  const log = openEventLog({ store, keys, schemas, clock });
  const heads = new Map<string, StreamHead>();
  const append = async (eventStream: string, type: string, data: JsonObject = {}) => {
    const head = heads.get(eventStream) ?? { revision: 'no stream', hash: null };
    const context = { subject, actor: 'test', correlationId: 'c', causationId: 'c' };
    const appended = await log.append(eventStream, head, [{ type, data }], context);
    heads.set(eventStream, appended.head);
    return appended.position;
  };
  return { log, documents, leases: new MemoryLeases(), keys, append };
};

/** An engine over the platform, and its end: what a process that is stopped in order does. */
export const openNode = async (
  platform: Platform,
  projections: readonly AnyProjection[],
  options: { clock?: Clock; serveStale?: boolean; documents?: Documents; start?: boolean | 'observe' } = {},
) => {
  const { clock = systemClock, documents = platform.documents, serveStale = false } = options;
  const { log, leases } = platform;
  const deps = { log, documents, leases, clock, logger: silentLogger, projections, serveStale };
  const engine = await openProjectionEngine(deps);
  const readModels = openReadModels({ engine, documents, log });
  const running = new AbortController();
  if (options.start === 'observe') await engine.observe(running.signal);
  else if (options.start !== false) await engine.start(running.signal);
  const stop = async () => {
    running.abort();
    await engine.finished();
  };
  onTestFinished(stop);
  return { engine, readModels, stop };
};
