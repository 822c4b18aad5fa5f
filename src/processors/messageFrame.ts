import { publicMessageSchema } from '../domain/formerSchemaNames.ts';
import type { SinkMessageBody } from './processor.ts';

/** The message in a frame of a message topic. Not validated, because the platform's own processors wrote it. */
export const messageOf = (data: Uint8Array): SinkMessageBody => {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  const message = JSON.parse(text) as SinkMessageBody;
  return { ...message, payloadSchema: publicMessageSchema(message.payloadSchema) };
};
