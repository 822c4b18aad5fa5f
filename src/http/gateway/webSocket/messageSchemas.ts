import type { JsonSchema } from '../../../json.ts';
import * as s from '../../../schema.ts';
import { SINK_MESSAGE_SCHEMA } from '../../export/resultSchemas.ts';
import { ERROR_RESPONSE } from '../../openapi/errorResponse.ts';
import { STREAM_SCHEMA } from '../../streams/streamSchemas.ts';
import { CONFIGURATION_MEMBERS } from '../uploadContent.ts';
import type { ClientMessage, ServerMessage } from './messages.ts';

export interface DocumentedMessage {
  readonly summary: string;
  readonly schema: JsonSchema;
  readonly example?: object;
}

const typed = (name: string, type: string, members: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  s.named(name, s.resource({ type: { type: 'string', const: type }, ...members }));

/** The text messages that a client may send, by type. */
export const CLIENT_MESSAGES: Readonly<Record<Exclude<ClientMessage['type'], 'DATA'>, DocumentedMessage>> = {
  CONFIGURATION: {
    summary: 'Patches and webhooks. The first message, and only with `configurationMessage=true` in the query.',
    schema: s.named(
      'ConfigurationMessage',
      s.partial({ type: { type: 'string', const: 'CONFIGURATION' }, ...CONFIGURATION_MEMBERS }, ['type']),
    ),
    example: {
      type: 'CONFIGURATION',
      patches: { summary: 'true' },
      webhook: { 'https://receiver.example.com/ends': ['stream.completed'] },
    },
  },
  KEEP_ALIVE: {
    summary: 'Keep-alive. The connection closes after 10 s without any message or ping.',
    schema: typed('KeepAliveMessage', 'KEEP_ALIVE'),
    example: { type: 'KEEP_ALIVE' },
  },
  END_OF_STREAM: {
    summary: 'The end of the data. Closing the connection means the same.',
    schema: typed('EndOfStreamMessage', 'END_OF_STREAM'),
    example: { type: 'END_OF_STREAM' },
  },
};

/** The text messages of the server, by type. */
export const SERVER_MESSAGES: Readonly<Record<ServerMessage['type'], DocumentedMessage>> = {
  STREAM_METADATA: {
    summary: 'The new stream. The first message, sent at the handshake or after CONFIGURATION.',
    schema: typed('StreamMetadataMessage', 'STREAM_METADATA', { stream: STREAM_SCHEMA }),
  },
  RESPONSE: {
    summary: 'A sink message, sent as soon as it is available.',
    schema: typed('ResponseMessage', 'RESPONSE', { response: SINK_MESSAGE_SCHEMA }),
  },
  KEEP_ALIVE: { summary: 'Answer to KEEP_ALIVE.', schema: CLIENT_MESSAGES.KEEP_ALIVE.schema },
  ERROR: {
    summary: 'An error. The connection closes after it.',
    schema: typed('ErrorMessage', 'ERROR', { error: ERROR_RESPONSE }),
  },
  END_OF_STREAM: { summary: 'The stream has ended. No message follows.', schema: CLIENT_MESSAGES.END_OF_STREAM.schema },
};
