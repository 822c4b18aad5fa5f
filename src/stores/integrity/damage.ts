import type { Logger } from '../../logger.ts';
import { DamagedEventStream } from '../eventStore.ts';

/** Returns `otherwise` for a damaged event stream, which has been reported, so that work on many event streams continues with the others. */
export const unlessDamaged = async <T, const Other>(work: Promise<T>, otherwise: Other): Promise<T | Other> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DamagedEventStream) return otherwise;
    throw error;
  }
};

/** Names shown in the health check. */
const NAMED = 3;
/** Names kept: enough for an operator to see the problem. */
const KEPT = 1_000;

/** The event streams that this process has found damaged, for the log and the health check. */
export class Damage {
  readonly #logger: Logger;
  readonly #found = new Map<string, string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  report({ eventStream, message }: DamagedEventStream): void {
    if (this.#found.has(eventStream) || this.#found.size >= KEPT) return;
    this.#found.set(eventStream, message);
    this.#logger.error({ eventStream, reason: message }, 'event stream damaged; run tributary audit verify');
  }

  /** Call it when a damaged event stream could be read in full again. */
  repaired(eventStream: string): void {
    if (this.#found.delete(eventStream)) this.#logger.info({ eventStream }, 'event stream is whole again');
  }

  get count(): number {
    return this.#found.size;
  }

  /** A sentence for operators; `null` without damage. */
  sentence(): string | null {
    const sentences = [...this.#found.values()];
    if (sentences.length === 0) return null;
    const others = sentences.length - NAMED;
    return [...sentences.slice(0, NAMED), ...(others > 0 ? [`${others} more event streams are damaged.`] : [])].join(' ');
  }
}
