import { publicMessageSchema } from '../domain/formerSchemaNames.ts';
import type { SinkMessageBody } from './processor.ts';

/** The message that a frame of a message topic holds. The platform's own processors wrote it, so its form is not checked again. */
export const messageOf = (data: Uint8Array): SinkMessageBody => {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  const message = JSON.parse(text) as SinkMessageBody;
  return { ...message, payloadSchema: publicMessageSchema(message.payloadSchema) };
};
