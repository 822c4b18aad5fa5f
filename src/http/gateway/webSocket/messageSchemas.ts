import type { JsonSchema } from '../../../json.ts';
import { SINK_MESSAGE_SCHEMA } from '../../export/resultSchemas.ts';
import { named, partial, resource } from '../../input/jsonSchemas.ts';
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
  named(name, resource({ type: { type: 'string', const: type }, ...members }));

/** The text messages that a client may send, by type: contract, section 9. */
export const CLIENT_MESSAGES: Readonly<Record<Exclude<ClientMessage['type'], 'DATA'>, DocumentedMessage>> = {
  CONFIGURATION: {
    summary: 'Patches and webhooks. The first message, and only with `configurationMessage=true` in the query.',
    schema: named(
      'ConfigurationMessage',
      partial({ type: { type: 'string', const: 'CONFIGURATION' }, ...CONFIGURATION_MEMBERS }, ['type']),
    ),
    example: {
      type: 'CONFIGURATION',
      patches: { summary: 'true' },
      webhook: { 'https://receiver.example.com/ends': ['stream.completed'] },
    },
  },
  KEEP_ALIVE: {
    summary: 'I am still there. After 10 s without any message or ping the connection is closed.',
    schema: typed('KeepAliveMessage', 'KEEP_ALIVE'),
    example: { type: 'KEEP_ALIVE' },
  },
  END_OF_STREAM: {
    summary: 'No more data will come. Leaving means the same.',
    schema: typed('EndOfStreamMessage', 'END_OF_STREAM'),
    example: { type: 'END_OF_STREAM' },
  },
};

/** The text messages of the server, by type. */
export const SERVER_MESSAGES: Readonly<Record<ServerMessage['type'], DocumentedMessage>> = {
  STREAM_METADATA: {
    summary: 'The stream that was created: the first message, at the handshake or after CONFIGURATION.',
    schema: typed('StreamMetadataMessage', 'STREAM_METADATA', { stream: STREAM_SCHEMA }),
  },
  RESPONSE: {
    summary: 'A message of a sink, as soon as it is there.',
    schema: typed('ResponseMessage', 'RESPONSE', { response: SINK_MESSAGE_SCHEMA }),
  },
  KEEP_ALIVE: { summary: 'The answer to KEEP_ALIVE.', schema: CLIENT_MESSAGES.KEEP_ALIVE.schema },
  ERROR: {
    summary: 'What went wrong. The connection is closed behind it.',
    schema: typed('ErrorMessage', 'ERROR', { error: ERROR_RESPONSE }),
  },
  END_OF_STREAM: { summary: 'The stream has ended; nothing follows.', schema: CLIENT_MESSAGES.END_OF_STREAM.schema },
};
