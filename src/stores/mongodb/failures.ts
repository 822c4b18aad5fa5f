import { systemClock } from '../../clock.ts';
import { within } from '../../supervision/within.ts';
import { StoreUnavailable } from '../eventStore.ts';

const DUPLICATE_KEY = 11_000;
const NAMESPACE_NOT_FOUND = 26;
const SAME_INDEX_OTHER_NAME = 85;
const SAME_NAME_OTHER_INDEX = 86;

/** Server codes of requests that can never succeed: a programming error, not a store that is away. */
const MISTAKES: ReadonlySet<unknown> = new Set([
  2, // BadValue
  9, // FailedToParse
  14, // TypeMismatch
  59, // CommandNotFound
  67, // CannotCreateIndex
  73, // InvalidNamespace
  85, // IndexOptionsConflict
  86, // IndexKeySpecsConflict
  292, // QueryExceededMemoryLimitNoDiskUseAllowed
  10_334, // BSONObjectTooLarge
]);
const MISTAKEN_CALLS = new Set(['MongoInvalidArgumentError', 'MongoParseError', 'BSONError', 'TypeError', 'RangeError']);

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Whether another index conflicts: one with the same keys, or one with the same name. */
export const isIndexConflict = (error: unknown): 'keys' | 'name' | null => {
  const code = codeOf(error);
  return code === SAME_INDEX_OTHER_NAME ? 'keys' : code === SAME_NAME_OTHER_INDEX ? 'name' : null;
};

/**
 * Codes of servers without an option of a command: BadValue, FailedToParse, InvalidOptions, CommandNotSupported, NotImplemented, an unknown field.
 */
const UNKNOWN_OPTIONS: ReadonlySet<unknown> = new Set([2, 9, 72, 115, 238, 40_415]);

export const isUnknownOption = (error: unknown): boolean => UNKNOWN_OPTIONS.has(codeOf(error));

export const isMissingCollection = (error: unknown): boolean => codeOf(error) === NAMESPACE_NOT_FOUND;

/** Whether a write failed only because ids were taken. Any other write error or a missing majority makes it another failure. */
export const isDuplicate = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const writeErrors: unknown[] = 'writeErrors' in error && Array.isArray(error.writeErrors) ? error.writeErrors : [];
  if (lacksMajority(error)) return false;
  return writeErrors.length > 0
    ? writeErrors.every((one) => typeof one === 'object' && one !== null && 'code' in one && one.code === DUPLICATE_KEY)
    : codeOf(error) === DUPLICATE_KEY;
};

/** The driver puts it beside the write errors of a bulk. */
const lacksMajority = (error: Error): boolean => {
  const result = 'result' in error ? error.result : undefined;
  if (typeof result !== 'object' || result === null || !('getWriteConcernError' in result)) return false;
  return typeof result.getWriteConcernError === 'function' && result.getWriteConcernError() !== undefined;
};

/**
 * Converts an error of the driver to one of the ports. It is not kept as the cause: errors of a bulk contain whole documents, which must not reach
 * a log.
 */
export const translated = (error: unknown): Error => {
  if (error instanceof StoreUnavailable) return error;
  if (!(error instanceof Error)) return new Error(String(error));
  // Without a majority, what else the server refused may still be undone.
  const isMistake = MISTAKES.has(codeOf(error)) || MISTAKEN_CALLS.has(error.name);
  if (isMistake && !lacksMajority(error)) return new Error(`MongoDB: ${error.message}`);
  return new StoreUnavailable(`MongoDB cannot be used: ${error.message}`);
};

/**
 * Longer than an election. The driver (7.9.0) waits for ever for a command that it writes to a socket that has just been destroyed: it listens for
 * `drain` only.
 */
const LONGEST_MILLISECONDS = 20_000;

/** The operation's outcome, or `StoreUnavailable` if it never ends. */
export const inTime = async <T>(operation: Promise<T>, milliseconds = LONGEST_MILLISECONDS): Promise<T> => {
  const outcome = await within(systemClock, milliseconds, operation);
  if (outcome === 'late') throw new StoreUnavailable('MongoDB cannot be used: it has not taken a command in time');
  return outcome;
};

/** The operation's outcome, with a converted failure. */
export const reach = async <T>(operation: Promise<T>): Promise<T> => {
  try {
    return await inTime(operation);
  } catch (error) {
    throw translated(error);
  }
};

/** `false` if its id was taken. */
export const unlessTaken = async (operation: Promise<unknown>): Promise<boolean> => {
  try {
    await inTime(operation);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw translated(error);
  }
};
