import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type Appended, AppendTooLarge, DamagedEventStream, type ExpectedRevision, WrongExpectedRevision } from '../eventStore.ts';
import { Away, Denied } from './away.ts';
import type { Driver } from './driver.ts';
import { toPosition } from './position.ts';

/** A checked and serialised append. */
export interface AppendWork {
  readonly eventStream: string;
  /** `any` only for the metadata of an event stream, which are not events of the log. */
  readonly expected: ExpectedRevision | 'any';
  /** Id, type, metadata and data (JSON text) of one event after the other. */
  readonly fields: readonly string[];
}

/** The server abandons an append after this. Much longer than our own time-out, because clocks of machines differ. */
const SERVER_DEADLINE_MILLISECONDS = 60_000;

/** The request of an append. A repetition needs a new one with its own correlation id. */
export const appendRequest = ({ streams, shared, Empty, Timestamp }: Driver, work: AppendWork, now: number): BatchAppendReq => {
  const options = new streams.BatchAppendReq.Options();
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(work.eventStream));
  options.setStreamIdentifier(name);
  options.setDeadline(Timestamp.fromDate(new Date(now + SERVER_DEADLINE_MILLISECONDS)));
  if (work.expected === 'any') options.setAny(new Empty());
  else if (work.expected === 'no stream') options.setNoStream(new Empty());
  else options.setStreamPosition(work.expected.toString());
  const request = new streams.BatchAppendReq();
  request.setOptions(options);
  request.setIsFinal(true);
  for (let i = 0; i < work.fields.length; i += 4) {
    const [id = '', type = '', metadata = '', data = ''] = work.fields.slice(i, i + 4);
    const message = new streams.BatchAppendReq.ProposedMessage();
    const uuid = new shared.UUID();
    uuid.setString(id);
    message.setId(uuid);
    message.getMetadataMap().set('type', type).set('content-type', 'application/json');
    message.setCustomMetadata(Buffer.from(metadata));
    message.setData(Buffer.from(data));
    request.addProposedMessages(message);
  }
  return request;
};

/**
 * Revision and position of the append. Throws `WrongExpectedRevision`, `AppendTooLarge`, `DamagedEventStream`, or `Away` if the answer does not tell
 * the outcome.
 */
export const appendedBy = ({ shared }: Driver, work: AppendWork, answer: BatchAppendResp): Appended => {
  const success = answer.getSuccess();
  const position = success?.getPosition();
  if (success && position) {
    return {
      revision: BigInt(success.getCurrentRevision()),
      position: toPosition(position.getCommitPosition(), position.getPreparePosition()),
    };
  }
  const error = answer.getError();
  const details = error?.getDetails();
  const name = details?.getTypeName().split('.').at(-1) ?? '';
  switch (name) {
    case 'WrongExpectedVersion': {
      const wrong = shared.WrongExpectedVersion.deserializeBinary(details?.getValue_asU8() ?? new Uint8Array());
      const actual = wrong.hasCurrentStreamRevision() ? BigInt(wrong.getCurrentStreamRevision()) : 'no stream';
      throw new WrongExpectedRevision(work.eventStream, work.expected === 'any' ? 'no stream' : work.expected, actual);
    }
    case 'MaximumAppendSizeExceeded':
      throw new AppendTooLarge(work.fields.reduce((sum, field) => sum + Buffer.byteLength(field), 0));
    case 'StreamDeleted':
      throw new DamagedEventStream(work.eventStream, 'it was deleted for good in EventStoreDB (a tombstone)');
    case 'AccessDenied':
      throw new Denied();
    case 'BadRequest':
      throw new TypeError(`The event store refuses this append to ${work.eventStream} as malformed.`);
    default:
      // The server's own time-outs, "Server Is Not Ready", and unnamed errors.
      throw new Away(error?.getMessage() || name || 'it answered without a result');
  }
};
