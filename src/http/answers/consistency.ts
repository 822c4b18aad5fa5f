import { unavailable } from '../../domain/problem.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { Position } from '../../stores/eventStore.ts';
import { badRequest } from '../server/errors.ts';
import type { ApiResponse } from '../server/route.ts';

/** What read-your-own-writes needs of the read models. */
export type Waiting = Pick<ReadModels, 'waitFor' | 'isPosition' | 'keepUp'>;

type Consistency = NonNullable<Exclude<ApiResponse, { chunks: unknown }>['consistency']>;

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

/** `position`: what the read models do not show yet; `null` when there is nothing to say. */
export const pendingHeaders = (position: Position | null): Readonly<Record<string, string>> =>
  position === null ? NONE : { 'Tributary-Consistency': 'pending', 'Tributary-Position': position };

/**
 * The headers of a command's answer. It is durable, and later reads wait for it, so it says `Tributary-Consistency: pending` only when a read model is
 * known not to follow the log.
 */
export const commandHeaders = async (
  readModels: Waiting,
  { position, projections, shown }: Consistency,
): Promise<Readonly<Record<string, string>>> => {
  if (position === null) return NONE;
  // An accepted command stays accepted when the read models cannot be asked.
  const isShown = shown ? await readModels.waitFor(projections, position).catch(() => false) : readModels.keepUp(projections);
  return isShown ? NONE : pendingHeaders(position);
};
