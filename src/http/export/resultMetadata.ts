import type { JsonObject } from '../../json.ts';

/** The offline sentiment engine. It is only part of the results, so the name of another engine takes precedence. */
const LEXICON = 'lexicon';

/** Adds one message's metadata: the first engine and language count, warnings accumulate. */
export const addMetadata = (all: Map<string, JsonObject>, processorId: string, said: JsonObject): void => {
  if (typeof said.engine !== 'string') return;
  const before = all.get(processorId);
  if (!before || before.engine === LEXICON) all.set(processorId, { ...said });
  const known = all.get(processorId);
  if (!known || !Array.isArray(said.warnings)) return;
  const warnings = [...(Array.isArray(known.warnings) ? known.warnings : []), ...said.warnings];
  known.warnings = [...new Set(warnings)];
};

interface MetadataOfStream {
  readonly streamId: string;
  readonly metadata: ReadonlyMap<string, JsonObject>;
}

/** By processor id, or `<streamId>/<processorId>` for several streams. `null` if no result carries metadata. */
export const joinedMetadata = (streams: readonly MetadataOfStream[]): Record<string, JsonObject> | null => {
  const entries = streams.flatMap(({ streamId, metadata }) =>
    [...metadata].map(([processorId, said]) => [streams.length > 1 ? `${streamId}/${processorId}` : processorId, said] as const),
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
};
