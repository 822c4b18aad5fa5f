import type { JsonSchema } from '../../json.ts';
import { SINK_MESSAGE_SCHEMA } from '../../results/resultSchemas.ts';
import * as s from '../../schema.ts';
import { CONFIGURATION_MEMBERS } from '../gateway/uploadContent.ts';
import type { ClientMessage, ServerMessage } from '../gateway/webSocket/messages.ts';
import { SOCKET_PARAMETERS } from '../gateway/webSocket/parameters.ts';
import { valueSchema } from '../input/parameters.ts';
import { ERROR_RESPONSE } from '../openapi/errorResponse.ts';
import type { ApiDescription } from '../openapi/openapi.ts';
import { SECURITY_SCHEMES } from '../openapi/security.ts';
import { Components } from '../route/components.ts';
import { STREAM_SCHEMA } from '../streams/streamSchemas.ts';

interface DocumentedMessage {
  readonly summary: string;
  readonly schema: JsonSchema;
  readonly example?: object;
}

interface Message {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly contentType: string;
  readonly payload: JsonSchema;
  readonly examples?: readonly { readonly name: string; readonly payload: object }[];
}

const typed = (name: string, type: string, members: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  s.named(name, s.resource({ type: { type: 'string', const: type }, ...members }));

const CLIENT_MESSAGES: Readonly<Record<Exclude<ClientMessage['type'], 'DATA'>, DocumentedMessage>> = {
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

const SERVER_MESSAGES: Readonly<Record<ServerMessage['type'], DocumentedMessage>> = {
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

/** The AsyncAPI 3.0 document, from the same schemas as the rest. Its operations are the server's: it receives what clients send. */
export const asyncapiDocument = ({ version, publicUrl }: ApiDescription) => {
  const components = new Components();
  const fromClient = messages('client', CLIENT_MESSAGES, components);
  const fromServer = messages('server', SERVER_MESSAGES, components);
  const { host, protocol } = new URL(publicUrl());
  return {
    asyncapi: '3.0.0',
    info: { title: 'Tributary live gateway', version, description: DESCRIPTION, license: { name: 'Apache-2.0' } },
    defaultContentType: 'application/json',
    servers: {
      tributary: {
        host,
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        description: 'The same origin as the HTTP interface.',
        security: Object.keys(SCHEMES).map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
      },
    },
    channels: { gateway: { ...CHANNEL, messages: { ...fromClient, ...fromServer } } },
    operations: {
      receiveFromClient: operation('receive', 'Messages from the client.', Object.keys(fromClient)),
      sendToClient: operation('send', 'Messages from the server.', Object.keys(fromServer)),
    },
    components: { schemas: components.schemas(), securitySchemes: SCHEMES },
  };
};

export type AsyncapiDocument = ReturnType<typeof asyncapiDocument>;

const DESCRIPTION = `Bytes in and results out over one WebSocket: audio that is spoken now, or any stream whose results are wanted while it runs.

Connect with a credential and the query of an upload: \`streamConfigurationTemplateId\` names the template, parameters that are not documented are patches
of it. Send the data as binary messages, then END_OF_STREAM; read until END_OF_STREAM comes back. Output comes as RESPONSE messages, with \`format=RAW\` as
binary ones. A wrong credential is 401 at the handshake, all other refusals come as ERROR. The connection is closed with 1000, and with another code only when the
protocol was violated (1002, 1007), a message was larger than 16 MiB (1009) or had more than 16,384 fragments (1008), or the client sent more than 100
KEEP_ALIVE, CONFIGURATION and ping messages in 10 seconds (1008). A client that sends faster than the platform takes is slowed down.`;

const query: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(SOCKET_PARAMETERS).map(([name, parameter]) => [name, { ...valueSchema(parameter), description: parameter.description }]),
  ),
  required: ['streamConfigurationTemplateId'],
  additionalProperties: { type: 'string', description: 'A patch of the template, or `webhook[.RESOURCE[.STATE]]`.' },
};

const headers: JsonSchema = {
  type: 'object',
  properties: {
    'X-Template-Patch': { type: 'string', description: 'Patches of the template as JSON text (RFC 6902).' },
    'Sec-WebSocket-Protocol': { type: 'string', description: '`Bearer, <JWT>`, for browsers, which cannot set other headers.' },
  },
};

const CHANNEL = {
  address: '/ws-gateway/api/v1',
  title: 'Live gateway',
  summary: 'One session is one stream.',
  description: 'A trailing slash is accepted.',
  bindings: { ws: { method: 'GET', query, headers, bindingVersion: '0.1.0' } },
};

const inHeader = (name: string, description: string) => ({ type: 'httpApiKey', in: 'header', name, description });

const { accessToken, ...keys } = SECURITY_SCHEMES;
const SCHEMES = {
  accessToken,
  ...Object.fromEntries(Object.entries(keys).map(([name, scheme]) => [name, { ...scheme, type: 'httpApiKey' }])),
  webSocketProtocol: inHeader('Sec-WebSocket-Protocol', '`Basic <API_KEY>`, `Bearer <JWT>`, or, as browsers send it, `Bearer, <JWT>`.'),
};

const DATA = {
  client: 'Bytes of the stream, in binary messages of any size up to 16 MiB.',
  server: 'Raw output, with `format=RAW`.',
} as const;

type Side = keyof typeof DATA;

const messages = (side: Side, documented: Readonly<Record<string, DocumentedMessage>>, components: Components): Record<string, Message> => {
  const ofText = Object.entries(documented).map(([type, { summary, schema, example }]): [string, Message] => [
    `${side}.${type}`,
    {
      name: type,
      title: type,
      summary,
      contentType: 'application/json',
      payload: components.reference(schema),
      ...(example ? { examples: [{ name: 'example', payload: example }] } : {}),
    },
  ]);
  const payload = { type: 'string', format: 'binary' };
  const data = { name: 'DATA', title: 'Binary message', summary: DATA[side], contentType: 'application/octet-stream', payload };
  return Object.fromEntries([...ofText, [`${side}.DATA`, data]]);
};

const operation = (action: 'receive' | 'send', summary: string, names: readonly string[]): object => ({
  action,
  channel: { $ref: '#/channels/gateway' },
  summary,
  messages: names.map((name) => ({ $ref: `#/channels/gateway/messages/${name}` })),
});
