import type { JsonObject, Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { changedEvent, type EventOf, event, guardOf, personal, personalOfOldEvents } from '../eventForms.ts';
import { type FormerPropertiesSchemas, upcastStreamCreated } from '../formerSchemaNames.ts';
import { FAILURE_CAUSES } from './failureCauses.ts';
import { bill, chainLink, operationType, quantities, streamConfiguration } from './streamConfiguration.ts';

const createdMembers = {
  streamId: s.id,
  name: personalOfOldEvents(s.text),
  groupId: s.id,
  creatorId: s.id,
  groupCreatorId: s.id,
  templateVersion: s.count,
  persist: s.flag,
  configuration: streamConfiguration,
  chain: s.list(chainLink),
  /**
   * `null` without an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the parameters, `body` that of what the body says besides its bytes (a link, or a
   * configuration part); `attempt` counts the uploads under the key. Older events have no `body`.
   */
  idempotency: s.nullable(s.object({ fingerprint: s.sha256, attempt: s.ordinal }, { body: s.sha256 })),
};
const created = s.object(createdMembers, {
  /** How long the data of a persistent stream are kept after its end; 0: until they are deleted. Absent for ephemeral streams, and from old events. */
  keepSeconds: s.count,
  /** Absent without labels. */
  labels: personal(s.list(s.text)),
  /** The stream has its group to itself, so the group has no event stream until another stream joins (`domain/group/ownGroup.ts`). */
  ownGroup: s.flag,
  /** Of the upload, as its sender named it. Absent without a name. */
  fileName: personal(s.text),
});
/** Events of version 1, upcast, also have `formerPropertiesSchemas`: their webhook bodies keep the former names of schemas. */
type StreamCreated = Shape<typeof created> & { formerPropertiesSchemas?: FormerPropertiesSchemas };

const rerunStage = s.object({
  processorId: s.id,
  operationType,
  sourceTopic: s.text,
  destinationTopic: s.text,
  properties: personalOfOldEvents(s.anyObject),
});
/** A stage of a rerun. Topics by their full names. */
export type RerunStage = Shape<typeof rerunStage>;

/*
 * Beware of `attempt`: in `runMembers` it counts the tries of a stage, in `endedAttempt` and `RerunStarted` the attempts of the stream. Stored names cannot change.
 */

/** `attempt` counts all tries of the stage. */
const runMembers = { processorId: s.id, attempt: s.ordinal };
/** The attempt of the stream. Absent for the upload. */
const streamAttemptOfRun = { streamAttempt: s.ordinal };
/** The attempt that ended. Absent for the upload. */
const endedAttempt = { attempt: s.ordinal };
/** The engine that ran a stage. `model` is `null` if the engine has only one, and personal because a caller may have named it. Absent from old events, and for stages without an engine. */
const engineMember = { engine: s.object({ name: s.text, model: personal(s.nullable(s.text)) }) };
/** Chooses the advice to the owner. Absent from old events, and if the error name or the kind of event says enough. */
const causeMember = { cause: s.oneOf(...FAILURE_CAUSES) };
/** Codes of the warnings in the results of a run. Absent from old events, and without warnings. */
const warningsMember = { warnings: s.list(s.text) };
const unchangedData = (data: JsonObject): JsonObject => data;

/**
 * The events of one stream: an upload and its processing. Event stream `stream-<streamId>`. `docs/adding-an-event.md` shows how to add one, and
 * `delivery/plan/webhookTypes.ts` says which webhooks each sends.
 */
export const STREAM_EVENTS = {
  /** Version 2 has the public names of schemas. */
  StreamCreated: changedEvent<StreamCreated>(2, created, { 1: upcastStreamCreated }),
  /** All bytes are stored and synced. */
  UploadCompleted: event(s.object({ bytes: s.count, frames: s.count, sha256: s.sha256 })),
  /** The client disconnected, or the upload did not finish. `StreamFailed` follows in the same append. */
  UploadFailed: event(s.object({ reason: s.text }, causeMember)),
  /** `failures`: earlier tries in this attempt of the stream that the processor failed. Absent for 0. */
  ProcessorStarted: event(s.object(runMembers, { ...streamAttemptOfRun, failures: s.ordinal })),
  /** `description`: such as "Stream has no prompt enabled". */
  ProcessorCompleted: event(
    s.object(
      { ...runMembers, description: s.nullable(s.text), quantities, bill },
      { ...streamAttemptOfRun, ...engineMember, ...warningsMember },
    ),
  ),
  /** Since version 2, `reason` is personal: it may repeat what an engine said. Older events stay as they are. */
  ProcessorFailed: changedEvent(
    2,
    s.object(
      { ...runMembers, reason: personal(s.nullable(s.text)), errorName: s.id, quantities, bill },
      { ...streamAttemptOfRun, ...engineMember, ...causeMember },
    ),
    { 1: unchangedData },
  ),
  /** The engine of a run is down, and the run waits for it. */
  EngineAwaited: event(s.object({ ...runMembers, reason: personal(s.nullable(s.text)) }, streamAttemptOfRun)),
  /** The engine works for the run again. The end of a run also ends its wait. */
  EngineReturned: event(s.object(runMembers, streamAttemptOfRun)),
  /** Names what runs a stage, for people who watch a long run. */
  EngineChosen: event(s.object({ ...runMembers, ...engineMember }, streamAttemptOfRun)),
  StreamCanceled: event(s.object({ reason: s.text }, endedAttempt)),
  StreamCompleted: event(s.object({}, endedAttempt)),
  /** Since version 2, `reason` is personal. */
  StreamFailed: changedEvent(2, s.object({ reason: personal(s.nullable(s.text)) }, endedAttempt), { 1: unchangedData }),
  /** The stream runs again, from a stage or from its start. The stages before `from` keep their outputs. */
  RerunStarted: event(
    s.object({
      /** 2 is the first rerun. */
      attempt: s.ordinal,
      /** `null`: the whole chain. */
      from: s.nullable(s.text),
      reason: personal(s.nullable(s.text)),
      streamConfigurationTemplateId: s.id,
      /** The repeated stages in the order of the chain, with their own topics. */
      processors: s.list(rerunStage),
      /** `null` without an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the request. */
      idempotency: s.nullable(s.object({ keyId: s.id, fingerprint: s.sha256 })),
    }),
  ),
  /** Another stream joins the group that was this stream's own. `GroupContinued` follows in the event stream of the group. */
  OwnGroupShared: event(s.object({})),
  StreamRenamed: event(s.object({ name: personal(s.text) })),
  /** All labels of the stream, which replace those before. */
  StreamLabeled: event(s.object({ labels: personal(s.list(s.text)) })),
  /** `until` is ISO 8601; `null`: until the data are deleted. */
  RetentionSet: event(s.object({ until: s.nullable(s.text) })),
  /** Of earlier versions, which only moved the time later. `until` is ISO 8601. */
  RetentionExtended: event(s.object({ until: s.text })),
  /** The bytes are deleted. */
  StreamExpired: event(s.object({ reason: s.text })),
};

export type StreamEvent = EventOf<typeof STREAM_EVENTS>;
export type StreamData<T extends StreamEvent['type']> = Extract<StreamEvent, { type: T }>['data'];
export const STREAM_EVENT_TYPES: readonly string[] = Object.keys(STREAM_EVENTS);
export const isStreamEvent = guardOf(STREAM_EVENTS);

/** The events that end an attempt of a stream. */
export const ATTEMPT_ENDS = ['StreamCompleted', 'StreamFailed', 'StreamCanceled'] satisfies StreamEvent['type'][];

/** The attempt that an event is about; without one, the upload. */
export const attemptOf = ({ data }: StreamEvent): number => ('attempt' in data && data.attempt) || 1;

export const streamEventStream = (streamId: string): string => `stream-${streamId}`;

export const streamIdOf = (eventStream: string): string => eventStream.slice('stream-'.length);
