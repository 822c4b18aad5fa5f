import { messageOf } from '../../domain/stream/messageFrame.ts';
import { MESSAGE_SCHEMAS } from '../../domain/stream/messages.ts';
import type { Shape } from '../../json.ts';
import type { SinkMessageBody } from '../../processors/processor.ts';
import type { SINK_MESSAGE_SCHEMA } from '../../results/resultSchemas.ts';
import { isRaw, type Sink } from '../../results/sinks.ts';
import type { Frame } from '../../stores/topics.ts';

/** One message of a sink, as in exports and live egress. Messages that are bytes have their payload in base64. */
export type SinkMessage = Shape<typeof SINK_MESSAGE_SCHEMA>;

/** Converts a stored frame of a sink to its public message. */
export const sinkMessage = (
  { stream, processor, partials }: Pick<Sink, 'stream' | 'processor' | 'partials'>,
  frame: Frame,
): SinkMessage => {
  const { destination, egress } = processor;
  const body = isRaw(destination.messageSchema) && !partials ? rawBody(destination.messageSchema, frame) : messageOf(frame.data);
  return {
    streamId: stream.streamId,
    groupId: stream.groupId,
    tags: egress.tags,
    sinkTopicName: destination.topic,
    // A partial output has the id of the final one before it, from which a reader may resume; -1 before the first.
    messageId: String(partials ? (body.sequenceId ?? 0) - 1 : frame.sequence),
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
