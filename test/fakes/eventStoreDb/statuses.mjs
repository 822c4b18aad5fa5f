// gRPC statuses with the metadata in which EventStoreDB describes errors.
import { Metadata, status } from '@grpc/grpc-js';

const failure = (code, details, members = {}) => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(members)) metadata.set(name, String(value));
  return Object.assign(new Error(details), { code, details, metadata });
};

export const notReady = () => failure(status.UNAVAILABLE, 'Server Is Not Ready');

export const notLeader = ({ host, port }) =>
  failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    ...(host === undefined ? {} : { 'leader-endpoint-host': host, 'leader-endpoint-port': port }),
  });

export const tooSlow = () => failure(status.ABORTED, 'Operation timed out: Consumer too slow to handle event while live');

/** The same for a wrong password and for a missing right. */
export const denied = () => failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const badPosition = () => failure(status.UNKNOWN, 'Unexpected ReadAllResult: Error');

export const badCount = () => failure(status.UNKNOWN, 'Exception was thrown by handler.');

export const anyStatus = ({ code, message }) => failure(code, message ?? 'as the test wished');

/** Statuses of calls that do not answer in batches. */
export const outcomeStatus = (name, outcome, expected) => {
  const members = { 'stream-name': name };
  switch (outcome.kind) {
    case 'wrong':
      return failure(status.FAILED_PRECONDITION, `Append failed due to WrongExpectedVersion. Stream: ${name}`, {
        ...members,
        exception: 'wrong-expected-version',
        'expected-version': typeof expected === 'number' ? expected : -2,
        'actual-version': outcome.revision,
      });
    case 'deleted':
      return failure(status.FAILED_PRECONDITION, `Event stream '${name}' is deleted.`, { ...members, exception: 'stream-deleted' });
    case 'too large':
      return failure(status.INVALID_ARGUMENT, 'Maximum Append Size of 1048576 Exceeded.', {
        exception: 'maximum-append-size-exceeded',
        'maximum-append-size': 1_048_576,
      });
    case 'bad request':
      return failure(status.INVALID_ARGUMENT, 'Bad request');
    default:
      return notReady();
  }
};
