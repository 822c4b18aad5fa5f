import { unavailable } from '../../domain/problem.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { Position } from '../../stores/eventStore.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { badRequest } from '../errors/errors.ts';
import type { ApiResponse } from '../route/route.ts';

/** The part of the read models that read-your-own-writes uses. */
export type Waiting = Pick<ReadModels, 'waitFor' | 'isPosition' | 'keepUp'>;

type Consistency = NonNullable<Exclude<ApiResponse, { chunks: unknown }>['consistency']>;

/**
 * Makes a read with `Tributary-After: <position>` wait until its read models have reached the position. Throws 503 if they do not in time, 400 for
 * a header that is not a position.
 */
export const waitForPosition = async (readModels: Waiting, after: string, projections: readonly string[]): Promise<void> => {
  if (!(await readModels.isPosition(after)))
    throw badRequest('The header Tributary-After takes the value of Tributary-Position from an earlier answer.');
  // The log has just confirmed it.
  if (!(await readModels.waitFor(projections, after as Position)))
    throw unavailable('The read models have not reached this position yet. Try again.');
};

/** Waits for the log's head. Returns it if the read models have not reached it in time, otherwise `null`. */
export const behindHead = async (
  { log, readModels }: { readonly log: Pick<EventLog, 'head'>; readonly readModels: Pick<ReadModels, 'waitFor'> },
  projections: readonly string[],
): Promise<Position | null> => {
  const head = await log.head();
  return head === null || (await readModels.waitFor(projections, head)) ? null : head;
};

const NONE = {} as const;

/** `position`: the one that the read models have not reached; `null` if they have. */
export const pendingHeaders = (position: Position | null): Readonly<Record<string, string>> =>
  position === null ? NONE : { 'Tributary-Consistency': 'pending', 'Tributary-Position': position };

/**
 * The headers of a command's answer. The command is durable, and later reads wait for it, so `Tributary-Consistency: pending` is sent only if a
 * read model does not follow the log.
 */
export const commandHeaders = async (
  readModels: Waiting,
  { position, projections, shown }: Consistency,
): Promise<Readonly<Record<string, string>>> => {
  if (position === null) return NONE;
  // An accepted command stays accepted even if the read models cannot be asked.
  const isShown = shown ? await readModels.waitFor(projections, position).catch(() => false) : readModels.keepUp(projections);
  return isShown ? NONE : pendingHeaders(position);
};
