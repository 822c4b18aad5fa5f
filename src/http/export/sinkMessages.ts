import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Shape } from '../../json.ts';
import { messageOf } from '../../processors/messageFrame.ts';
import type { SinkMessageBody } from '../../processors/processor.ts';
import type { Frame } from '../../stores/topics.ts';
import type { SINK_MESSAGE_SCHEMA } from './resultSchemas.ts';
import type { SinkProcessor } from './sinks.ts';

/** One message of a sink, as in exports and live egress. Messages that are bytes have their payload in base64. */
export type SinkMessage = Shape<typeof SINK_MESSAGE_SCHEMA>;

/** Whether a sink's frames are raw bytes or text instead of JSON messages. */
export const isRaw = (messageSchema: string): boolean =>
  messageSchema === MESSAGE_SCHEMAS.bytes || messageSchema === MESSAGE_SCHEMAS.string;

/** Converts a stored frame of a processor's destination to its public message. */
export const sinkMessage = (stream: { streamId: string; groupId: string }, processor: SinkProcessor, frame: Frame): SinkMessage => {
  const { destination, egress } = processor;
  const body = isRaw(destination.messageSchema) ? rawBody(destination.messageSchema, frame) : messageOf(frame.data);
  return {
    streamId: stream.streamId,
    groupId: stream.groupId,
    tags: egress.tags,
    sinkTopicName: destination.topic,
    messageId: String(frame.sequence),
    processorId: processor.id,
    // Messages of older versions have no number; all of them are final.
    sequenceId: body.sequenceId ?? frame.sequence,
    publishTimestamp: frame.at,
    frameType: body.frameType,
    payloadSchema: body.payloadSchema,
    payload: body.payload,
    headers: { ...destination.messageHeaders, ...body.headers },
  };
};

const rawBody = (payloadSchema: string, { data }: Frame): SinkMessageBody => ({
  frameType: 'final',
  payloadSchema,
  payload: payloadSchema === MESSAGE_SCHEMAS.bytes ? bufferOf(data).toString('base64') : textOf(data),
  headers: {},
});

const bufferOf = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

const textOf = (data: Uint8Array): string => bufferOf(data).toString('utf8');
