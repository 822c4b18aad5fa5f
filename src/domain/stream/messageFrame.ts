import type { Json, JsonObject } from '../../json.ts';
import { publicMessageSchema } from '../formerSchemaNames.ts';

/** The stored part of a sink message. Stream id, tags and similar members are added on reading. */
export interface SinkMessageBody {
  frameType: 'final' | 'partial';
  payloadSchema: string;
  payload: Json;
  headers: JsonObject;
  /** Number of the final message. A partial message has the number of the next final one. Set on writing. */
  sequenceId?: number;
}

/** The message in a frame of a message topic. Not validated, because the platform's own processors wrote it. */
export const messageOf = (data: Uint8Array): SinkMessageBody => {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  const message = JSON.parse(text) as SinkMessageBody;
  return { ...message, payloadSchema: publicMessageSchema(message.payloadSchema) };
};
