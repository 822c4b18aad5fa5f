import { unavailable } from '../../domain/problem.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { Position } from '../../stores/eventStore.ts';
import { badRequest } from '../server/errors.ts';

/** What read-your-own-writes needs of the read models. */
export type Waiting = Pick<ReadModels, 'waitFor' | 'isPosition'>;

/**
 * A read with `Tributary-After: <position>` waits until its read models have come that far. Throws 503 when they do not in time, 400 for
 * a header that no answer of ours gave.
 */
export const waitForPosition = async (readModels: Waiting, after: string, projections: readonly string[]): Promise<void> => {
  if (!(await readModels.isPosition(after)))
    throw badRequest('The header Tributary-After takes the value of Tributary-Position from an earlier answer.');
  // The log has just said so.
  if (!(await readModels.waitFor(projections, after as Position)))
    throw unavailable('The read models have not reached this position yet. Try again.');
};

const NONE = {} as const;

/**
 * The headers of a command's answer: none when its read models show what it appended, else `Tributary-Consistency: pending` and the
 * position to send with later reads.
 */
export const consistencyHeaders = async (
  readModels: Waiting,
  consistency: { readonly position: Position | null; readonly projections: readonly string[] } | undefined,
): Promise<Readonly<Record<string, string>>> => {
  const { position = null, projections = [] } = consistency ?? {};
  if (position === null) return NONE;
  // What was appended stays accepted, even when nobody can say now whether the read models have it.
  if (await readModels.waitFor(projections, position).catch(() => false)) return NONE;
  return { 'Tributary-Consistency': 'pending', 'Tributary-Position': position };
};
