import type { ServiceError } from '@grpc/grpc-js';

/** The server could not be asked, did not answer, or could not tell the outcome. Try again on a new connection. */
export class Away extends Error {
  override name = 'Away';
}

/** The server refuses the credentials. It does not distinguish a wrong password from a missing right. */
export class Denied extends Away {
  constructor() {
    super('it refuses the credentials of the connection string');
  }
}

/** The event stream was deleted for good (a tombstone). */
export class Tombstoned extends Error {}

const codeOf = (error: unknown): number | null => {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'number' ? code : null;
};

const [UNIMPLEMENTED, PERMISSION_DENIED, UNAUTHENTICATED] = [12, 7, 16];

/**
 * The meaning of a call's error. Everything but a definite answer is `Away`: gRPC statuses (not the leader, not ready, shutting down, aborted,
 * unavailable) and the client's own plain errors ("Failed to discover after 10 attempts.").
 */
export const failureOf = (error: unknown): Error => {
  if (error instanceof Away) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  // A status of a call: its metadata say more than its code.
  const exception = code === null ? undefined : (error as ServiceError).metadata?.get('exception')[0]?.toString();
  if (exception === 'stream-deleted') return new Tombstoned(message);
  if (message.includes('ReadAllResult')) return new TypeError('Not a position of the log.');
  if (exception === 'access-denied' || code === UNAUTHENTICATED || code === PERMISSION_DENIED) return new Denied();
  if (code === UNIMPLEMENTED) return new Away('it is too old: EventStoreDB 21.10 or newer is needed');
  return new Away(exception === 'not-leader' ? 'it is not the leader' : message, { cause: error });
};
