// Converts between the fake's log and the protocol's messages, with the client package's own generated definitions.

import shared from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import pb from '@eventstore/db-client/generated/streams_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { NO_STREAM } from './log.mjs';

const { BatchAppendResp, AppendResp, ReadResp } = pb;

export const nameOf = (identifier) => Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

const identifierOf = (name) => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(name));
  return identifier;
};

const uuidText = (uuid) => {
  if (!uuid?.hasStructured()) return uuid?.getString() ?? '';
  const hex = (bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const structured = uuid.getStructured();
  const text = hex(structured.getMostSignificantBits()) + hex(structured.getLeastSignificantBits());
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** In the form of server answers. */
const structuredUuid = (text) => {
  const hex = text.replaceAll('-', '');
  const bits = (from) => BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)).toString();
  const structured = new shared.UUID.Structured();
  structured.setMostSignificantBits(bits(0));
  structured.setLeastSignificantBits(bits(16));
  const uuid = new shared.UUID();
  uuid.setStructured(structured);
  return uuid;
};

/** A proposed event, from either append call. */
export const proposedEvent = (message) => ({
  id: uuidText(message.getId()),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? 'application/octet-stream',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

/** From the options of any call that expects a revision. */
export const expectedOf = (options) => {
  if (options.hasAny()) return 'any';
  if (options.hasStreamExists()) return 'stream_exists';
  if (options.hasNoStream()) return NO_STREAM;
  return Number(options.getStreamPosition?.() ?? options.getRevision());
};

/** The serialised answer with an event, made once for each record. */
export const eventAnswer = (record) => {
  if (record.answer) return record.answer;
  const recorded = new ReadResp.ReadEvent.RecordedEvent();
  const id = new shared.UUID();
  id.setString(record.id);
  recorded.setId(id);
  recorded.setStreamIdentifier(identifierOf(record.stream));
  recorded.setStreamRevision(String(record.revision));
  recorded.setPreparePosition(String(record.position));
  recorded.setCommitPosition(String(record.position));
  const members = recorded.getMetadataMap();
  members.set('type', record.type);
  members.set('content-type', record.contentType);
  // Ticks of 100 ns.
  members.set('created', `${Math.round(record.created)}0000`);
  recorded.setCustomMetadata(record.metadata);
  recorded.setData(record.data);
  const event = new ReadResp.ReadEvent();
  event.setEvent(recorded);
  event.setCommitPosition(String(record.position));
  const answer = new ReadResp();
  answer.setEvent(event);
  record.answer = Buffer.from(answer.serializeBinary());
  return record.answer;
};

const readAnswer = (fill) => {
  const answer = new ReadResp();
  fill(answer);
  return Buffer.from(answer.serializeBinary());
};

export const confirmation = (id) =>
  readAnswer((answer) => {
    const confirmed = new ReadResp.SubscriptionConfirmation();
    confirmed.setSubscriptionId(id);
    answer.setConfirmation(confirmed);
  });

export const caughtUp = () => readAnswer((answer) => answer.setCaughtUp(new ReadResp.CaughtUp()));

export const checkpoint = (position) =>
  readAnswer((answer) => {
    const reached = new ReadResp.Checkpoint();
    reached.setCommitPosition(String(position));
    reached.setPreparePosition(String(position));
    answer.setCheckpoint(reached);
  });

export const streamNotFound = (name) =>
  readAnswer((answer) => {
    const missing = new ReadResp.StreamNotFound();
    missing.setStreamIdentifier(identifierOf(name));
    answer.setStreamNotFound(missing);
  });

const packed = (message, name) => {
  const details = new any.Any();
  details.pack(message.serializeBinary(), `event_store.client.${name}`);
  return details;
};

const errorDetails = {
  wrong: ({ revision }) => {
    const message = new shared.WrongExpectedVersion();
    if (revision === NO_STREAM) message.setCurrentNoStream(new empty.Empty());
    else message.setCurrentStreamRevision(String(revision));
    message.setExpectedAny(new empty.Empty());
    return [9, 'WrongExpectedVersion', packed(message, 'WrongExpectedVersion')];
  },
  deleted: ({ name }) => {
    const message = new shared.StreamDeleted();
    message.setStreamIdentifier(identifierOf(name));
    return [9, 'StreamDeleted', packed(message, 'StreamDeleted')];
  },
  'too large': () => {
    const message = new shared.MaximumAppendSizeExceeded();
    message.setMaxappendsize(1_048_576);
    return [3, 'MaximumAppendSizeExceeded', packed(message, 'MaximumAppendSizeExceeded')];
  },
  'bad request': () => [3, 'BadRequest', packed(new shared.BadRequest(), 'BadRequest')],
  'not ready': () => [14, 'Server Is Not Ready', packed(new empty.Empty(), 'Empty')],
  'access denied': () => [7, 'AccessDenied', packed(new shared.AccessDenied(), 'AccessDenied')],
  timeout: () => [4, 'Timeout', packed(new shared.Timeout(), 'Timeout')],
};

/** The answer to a batch append, from the log or a fault. */
export const batchAnswer = (correlationId, name, outcome) => {
  const answer = new BatchAppendResp();
  answer.setCorrelationId(structuredUuid(correlationId.getString()));
  answer.setStreamIdentifier(identifierOf(name));
  if (outcome.kind === 'ok') {
    const success = new BatchAppendResp.Success();
    success.setCurrentRevision(String(outcome.revision));
    const position = new shared.AllStreamPosition();
    position.setCommitPosition(String(outcome.position));
    position.setPreparePosition(String(outcome.position));
    success.setPosition(position);
    answer.setSuccess(success);
    return answer;
  }
  const [code, message, details] = errorDetails[outcome.kind]({ ...outcome, name });
  const error = new statusPb.Status();
  error.setCode(code);
  error.setMessage(message);
  error.setDetails(details);
  answer.setError(error);
  return answer;
};

/** The answer to a single append; `null` for an outcome that is a status. */
export const appendAnswer = (outcome) => {
  const answer = new AppendResp();
  if (outcome.kind === 'ok') {
    const success = new AppendResp.Success();
    success.setCurrentRevision(String(outcome.revision));
    const position = new AppendResp.Position();
    position.setCommitPosition(String(outcome.position));
    position.setPreparePosition(String(outcome.position));
    success.setPosition(position);
    answer.setSuccess(success);
    return answer;
  }
  if (outcome.kind !== 'wrong') return null;
  const wrong = new AppendResp.WrongExpectedVersion();
  if (outcome.revision === NO_STREAM) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(outcome.revision));
  wrong.setExpectedAny(new shared.Empty());
  answer.setWrongExpectedVersion(wrong);
  return answer;
};

/** Answers to a soft delete and to a tombstone. */
export const deleteAnswer = (Response, { position }) => {
  const answer = new Response();
  const at = new Response.Position();
  at.setCommitPosition(String(position));
  at.setPreparePosition(String(position));
  answer.setPosition(at);
  return answer;
};
