import type { JsonObject } from '../../json.ts';
import type { DocumentWrite, StoredDocument } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { RecordedEvent } from '../../stores/log/eventLog.ts';
import type { Projection } from '../projection.ts';

/** A projection as the engine sees it, with documents of any type. */
export type AnyProjection = Projection<object>;

export interface Folded {
  readonly writes: readonly DocumentWrite[];
  /** The event that made the projection throw. `writes` holds nothing of it or of later events. */
  readonly poison: { readonly event: RecordedEvent; readonly error: unknown } | null;
}

/** A document while events are folded onto it. */
interface Draft {
  body: object | null;
  position: Position | '';
  changed: boolean;
}

export const touchedIds = (projection: AnyProjection, events: readonly RecordedEvent[]): string[] => {
  const ids = new Set<string>();
  for (const event of events) {
    try {
      for (const id of projection.idsOf(event)) ids.add(id);
    } catch {
      // `foldEvents` meets the same error and reports it.
    }
  }
  return [...ids];
};

/** Those that cannot exist before these events. */
export const begunIds = (projection: AnyProjection, events: readonly RecordedEvent[]): ReadonlySet<string> => {
  const { beginnings = [] } = projection;
  return new Set(
    touchedIds(
      projection,
      events.filter(({ type }) => beginnings.includes(type)),
    ),
  );
};

/**
 * Folds events in order onto the stored documents. Skips events at or before a document's position, so a replay changes nothing, and throwing
 * events listed in `skipped`.
 */
export const foldEvents = (
  projection: AnyProjection,
  events: readonly RecordedEvent[],
  stored: readonly StoredDocument[],
  skipped: ReadonlySet<string>,
): Folded => {
  const drafts = new Map<string, Draft>(stored.map(({ id, body, position }) => [id, { body, position, changed: false }]));
  for (const event of events) {
    try {
      apply(projection, event, drafts);
    } catch (error) {
      if (!skipped.has(event.position)) return { writes: writesOf(drafts), poison: { event, error } };
    }
  }
  return { writes: writesOf(drafts), poison: null };
};

/** Applies an event to all its documents or, if it throws, to none of them. */
const apply = (projection: AnyProjection, event: RecordedEvent, drafts: Map<string, Draft>): void => {
  const results: [id: string, body: object | null][] = [];
  for (const id of projection.idsOf(event)) {
    const draft = drafts.get(id);
    if (draft && draft.position >= event.position) continue;
    const before = draft?.body ?? null;
    const after = projection.evolve(before, event, id);
    if (after !== before) results.push([id, after]);
  }
  for (const [id, body] of results) drafts.set(id, { body, position: event.position, changed: true });
};

const writesOf = (drafts: Map<string, Draft>): DocumentWrite[] => {
  const writes: DocumentWrite[] = [];
  for (const [id, { body, position, changed }] of drafts) {
    // Safe cast: documents are plain JSON, because projections build them from events.
    if (changed && position !== '') writes.push({ id, position, body: body as JsonObject | null });
  }
  return writes;
};
