import type { JsonObject } from '../../json.ts';
import {
  anyObject,
  changedEvent,
  count,
  type EventOf,
  erasable,
  event,
  flag,
  guardOf,
  id,
  list,
  nothing,
  nullable,
  object,
  objectOf,
  ordinal,
  personal,
  sha256,
  text,
} from '../eventForms.ts';
import { type FormerPropertiesSchemas, upcastStreamCreated } from '../formerSchemaNames.ts';
import { bill, chainLink, operationType, quantities, streamConfiguration } from './configurationSchema.ts';
import type { ChainLink, OperationType, StreamConfiguration } from './streamConfiguration.ts';

interface StreamCreated {
  streamId: string;
  name: string;
  groupId: string;
  creatorId: string;
  groupCreatorId: string;
  templateVersion: number;
  persist: boolean;
  configuration: StreamConfiguration;
  chain: ChainLink[];
  /** `null` without an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the parameters; `attempt` counts the uploads under the key. */
  idempotency: { fingerprint: string; attempt: number } | null;
  /** The stream has its group to itself, so the group has no event stream until another stream joins (`domain/group/ownGroup.ts`). */
  ownGroup?: boolean;
  /** Only in events of version 1, upcast: their webhook bodies keep the former names of schemas. */
  formerPropertiesSchemas?: FormerPropertiesSchemas;
}

/** A stage of a rerun. Topics by their full names. */
export interface RerunStage {
  processorId: string;
  operationType: OperationType;
  sourceTopic: string;
  destinationTopic: string;
  properties: JsonObject;
}

/*
 * Beware of `attempt`: in `run` it counts the tries of a stage, in `ended` and `RerunStarted` the attempts of the stream. Stored names cannot change.
 */

/** `attempt` counts all tries of the stage. */
const run = { processorId: id, attempt: ordinal };
/** The attempt of the stream. Absent for the upload. */
const ofRerun = { streamAttempt: ordinal };
/** The attempt that ended. Absent for the upload. */
const ended = { attempt: ordinal };
/** The engine that ran a stage. `model` is `null` if the engine has only one, and personal because a caller may have named it. Absent from old events, and for stages without an engine. */
const madeBy = { engine: object({ name: text, model: erasable(nullable(text)) }) };
const same = (data: JsonObject): JsonObject => data;

/**
 * The events of one stream: an upload and its processing. Event stream `stream-<streamId>`. `docs/adding-an-event.md` shows how to add one, and
 * `delivery/plan/webhookTypes.ts` says which webhooks each sends.
 */
export const STREAM_EVENTS = {
  /** Version 2 has the public names of schemas. */
  StreamCreated: changedEvent(
    2,
    objectOf<StreamCreated>(
      {
        streamId: id,
        name: personal(text),
        groupId: id,
        creatorId: id,
        groupCreatorId: id,
        templateVersion: count,
        persist: flag,
        configuration: streamConfiguration,
        chain: list(chainLink),
        idempotency: nullable(object({ fingerprint: sha256, attempt: ordinal })),
      },
      { ownGroup: flag },
    ),
    { 1: upcastStreamCreated },
  ),
  /** All bytes are stored and synced. */
  UploadCompleted: event(object({ bytes: count, frames: count, sha256 })),
  /** The client disconnected, or the upload did not finish. `StreamFailed` follows in the same append. */
  UploadFailed: event(object({ reason: text })),
  /** `failures`: earlier tries in this attempt of the stream that the processor failed. Absent for 0. */
  ProcessorStarted: event(object(run, { ...ofRerun, failures: ordinal })),
  /** `description`: such as "Stream has no prompt enabled". */
  ProcessorCompleted: event(object({ ...run, description: nullable(text), quantities, bill }, { ...ofRerun, ...madeBy })),
  /** Since version 2, `reason` is personal: it may repeat what an engine said. Older events stay as they are. */
  ProcessorFailed: changedEvent(
    2,
    object({ ...run, reason: erasable(nullable(text)), errorName: id, quantities, bill }, { ...ofRerun, ...madeBy }),
    { 1: same },
  ),
  /** The engine of a run is down, and the run waits for it. */
  EngineAwaited: event(object({ ...run, reason: erasable(nullable(text)) }, ofRerun)),
  /** The engine works for the run again. The end of a run also ends its wait. */
  EngineReturned: event(object(run, ofRerun)),
  /** Names what runs a stage, for people who watch a long run. */
  EngineChosen: event(object({ ...run, ...madeBy }, ofRerun)),
  StreamCanceled: event(object({ reason: text }, ended)),
  StreamCompleted: event(object({}, ended)),
  /** Since version 2, `reason` is personal. */
  StreamFailed: changedEvent(2, object({ reason: erasable(nullable(text)) }, ended), { 1: same }),
  /** The stream runs again, from a stage or from its start. The stages before `from` keep their outputs. */
  RerunStarted: event(
    object({
      /** 2 is the first rerun. */
      attempt: ordinal,
      /** `null`: the whole chain. */
      from: nullable(text),
      reason: erasable(nullable(text)),
      streamConfigurationTemplateId: id,
      /** The repeated stages in the order of the chain, with their own topics. */
      processors: list(
        objectOf<RerunStage>({
          processorId: id,
          operationType,
          sourceTopic: text,
          destinationTopic: text,
          properties: personal(anyObject),
        }),
      ),
      /** `null` without an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the request. */
      idempotency: nullable(object({ keyId: id, fingerprint: sha256 })),
    }),
  ),
  /** Another stream joins the group that was this stream's own. `GroupContinued` follows in the event stream of the group. */
  OwnGroupShared: event(nothing),
  StreamRenamed: event(object({ name: erasable(text) })),
  /** `until` is ISO 8601. */
  RetentionExtended: event(object({ until: text })),
  /** The bytes are deleted. */
  StreamExpired: event(object({ reason: text })),
};

export type StreamEvent = EventOf<typeof STREAM_EVENTS>;
export const STREAM_EVENT_TYPES: readonly string[] = Object.keys(STREAM_EVENTS);
export const isStreamEvent = guardOf(STREAM_EVENTS);

export const streamEventStream = (streamId: string): string => `stream-${streamId}`;
