import type { Documents, FindOptions } from '../stores/documents.ts';
import type { Position } from '../stores/eventStore.ts';
import { unlessDamaged } from '../stores/integrity/damage.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { isPosition } from '../stores/log/isPosition.ts';
import type { ProjectionEngine, Served } from './engine/projectionEngine.ts';
import type { ReadModel, ReadModels } from './readModels.ts';

const WAIT_MILLISECONDS = 2_000;

/** Reads from the collection that the engine serves. Rejects with a `Problem` (503) while no build is served. */
export const openReadModels = ({
  engine,
  documents,
  log,
}: {
  readonly engine: ProjectionEngine;
  readonly documents: Documents;
  readonly log: EventLog;
}): ReadModels => {
  /** Folds the rest of the event stream onto a document. */
  const foldOn = async ({ projection }: Served, id: string, eventStream: string, before: object | null): Promise<object | null> => {
    let document = before;
    const revision = before && 'revision' in before ? before.revision : null;
    const from = typeof revision === 'string' ? BigInt(revision) + 1n : 0n;
    for (const event of await log.readStream(eventStream, { from })) {
      if (projection.handles.includes(event.type) && projection.idsOf(event).includes(id))
        document = projection.evolve(document, event, id);
    }
    return document;
  };

  // Safe casts: only the engine writes these collections, with the results of the same projection's `evolve`.
  return {
    get: async <Doc extends object>(model: ReadModel<Doc>, id: string) => {
      const stored = await documents.get(engine.served(model.name).collection, id);
      return (stored?.body ?? null) as Doc | null;
    },

    getFresh: async <Doc extends { revision: string }>(model: ReadModel<Doc>, id: string, ...eventStreams: readonly string[]) => {
      const served = engine.served(model.name);
      const stored = served.current ? await documents.get(served.collection, id) : null;
      let document: object | null = stored?.body ?? null;
      for (const eventStream of eventStreams) document = await foldOn(served, id, eventStream, document);
      return document as Doc | null;
    },

    find: async <Doc extends object>(model: ReadModel<Doc>, options: FindOptions) => {
      const found = await documents.find(engine.served(model.name).collection, options);
      return found.map(({ body }) => body as Doc);
    },

    findIds: async (model, options) => documents.findIds(engine.served(model.name).collection, options),

    search: async (model, options) => documents.search(engine.served(model.name).collection, options),

    getMany: async <Doc extends object>(model: ReadModel<Doc>, ids: readonly string[]) => {
      const served = engine.served(model.name);
      const { eventStreamOf } = served.projection;
      if (!served.current && eventStreamOf) {
        const folded = await Promise.all(ids.map((id) => unlessDamaged(foldOn(served, id, eventStreamOf(id), null), null)));
        return folded.flatMap((document) => (document ?? []) as Doc | []);
      }
      const found = await documents.getMany(served.collection, ids);
      const bodies = new Map(found.map(({ id, body }) => [id, body]));
      return ids.flatMap((id) => (bodies.get(id) ?? []) as Doc | []);
    },

    // Rejects instead of throwing, because callers read several documents in parallel.
    count: async (model, where) => documents.count(engine.served(model.name).collection, where),

    sum: async (model, member, where) => documents.sum(engine.served(model.name).collection, member, where),
    sumsBy: async (model, by, member, where) => documents.sumsBy(engine.served(model.name).collection, by, member, where),

    waitFor: async (projections, position: Position, milliseconds = WAIT_MILLISECONDS) => {
      const reached = await Promise.all(projections.map((name) => engine.waitFor(name, position, milliseconds)));
      return reached.every(Boolean);
    },

    keepUp: (projections) => projections.every((name) => engine.keepsUp(name)),

    isPosition: (text) => isPosition(log, text),
  };
};
