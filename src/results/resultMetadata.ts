import { readWarning, type Warning } from '../domain/stream/warnings.ts';
import type { JsonObject } from '../json.ts';
import type { StreamResults } from './results.ts';

/** The offline sentiment engine. It is only part of the results, so the name of another engine takes precedence. */
const LEXICON = 'lexicon';
/** A user's own processor may send any number of them. */
const MOST_WARNINGS = 100;
const LONGEST_WARNING = 1_000;
const LONGEST_CODE = 100;

interface Collected {
  readonly said: JsonObject;
  /** By code and message. */
  readonly warnings: Map<string, Warning>;
}

/** The metadata of results by processor: the first engine and language count, warnings accumulate up to a limit. */
export class ResultMetadata {
  readonly #collected = new Map<string, Collected>();

  /** Adds one message's metadata. */
  add(processorId: string, said: JsonObject): void {
    if (typeof said.engine !== 'string') return;
    const before = this.#collected.get(processorId);
    const collected = before && before.said.engine !== LEXICON ? before : { said, warnings: new Map<string, Warning>() };
    if (collected !== before) this.#collected.set(processorId, collected);
    if (!Array.isArray(said.warnings)) return;
    for (const item of said.warnings) {
      if (collected.warnings.size >= MOST_WARNINGS) return;
      const warning = readWarning(item);
      if (!warning) continue;
      const [code, message] = [warning.code.slice(0, LONGEST_CODE), warning.message.slice(0, LONGEST_WARNING)];
      collected.warnings.set(`${code} ${message}`, { code, message });
    }
  }

  /** By processor id. */
  result(): Map<string, JsonObject> {
    return new Map([...this.#collected].map(([processorId, { said, warnings }]) => [processorId, withWarnings(said, warnings)]));
  }
}

const withWarnings = ({ warnings: _, ...said }: JsonObject, warnings: ReadonlyMap<string, Warning>): JsonObject =>
  warnings.size > 0 ? { ...said, warnings: [...warnings.values()].map((warning) => ({ ...warning })) } : said;

/** By processor id, or `<streamId>/<processorId>` for several streams. `null` if no result carries metadata. */
export const joinedMetadata = (streams: readonly Pick<StreamResults, 'stream' | 'metadata'>[]): ReadonlyMap<string, JsonObject> | null => {
  const entries = streams.flatMap(({ stream: { streamId }, metadata }) =>
    [...metadata].map(([processorId, said]) => [streams.length > 1 ? `${streamId}/${processorId}` : processorId, said] as const),
  );
  return entries.length === 0 ? null : new Map(entries);
};
