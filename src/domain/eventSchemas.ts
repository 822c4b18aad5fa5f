/**
 * The form of every event type in the log, by type. A change of form raises `version` and adds an `upcast` from the one before; what is stored
 * is never rewritten. `personal: true` marks what is stored encrypted under its subject's key, and reads as `null` once that is erased.
 * Shaped as the log's `EventSchemas`.
 */

import type { JsonObject } from '../json.ts';
import { upcastStreamCreated, upcastTemplateSaved } from './formerSchemaNames.ts';

type Schema = { readonly [keyword: string]: unknown };

const object = (properties: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});
const list = (items: Schema): Schema => ({ type: 'array', items });
const nullable = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] });
const personal = (schema: Schema): Schema => ({ ...schema, personal: true });
const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values });

const text: Schema = { type: 'string' };
const id: Schema = { type: 'string', minLength: 1 };
const flag: Schema = { type: 'boolean' };
const count: Schema = { type: 'integer', minimum: 0 };
const ordinal: Schema = { type: 'integer', minimum: 1 };
const sha256: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const anyObject: Schema = { type: 'object' };
const texts: Schema = { type: 'object', additionalProperties: text };
const nothing: Schema = object({});
const outcome = oneOf('COMPLETED', 'FAILED');

const operationType = oneOf(
  'BATCH_TRANSCRIPTION',
  'REAL_TIME_TRANSCRIPTION',
  'SPEAKERS_DIARIZATION',
  'VOICE_ACTIVITY_DETECTION',
  'TRANSCODE',
  'TRANSLATION',
  'SUMMARIZATION',
  'SENTIMENT_ANALYSIS',
  'NO_OPERATION',
  'LLM_PROCESSING',
);

const egress = object({ persist: flag, sink: flag, tags: list(text) });

const dataSource = object({
  topic: text,
  messageSchema: text,
  connectionOptions: anyObject,
  headers: anyObject,
  messageHeaders: anyObject,
  subscriptions: anyObject,
});

const streamProcessor = object({
  id,
  source: object({ subscription: text, topic: text, messageSchema: text, connectionOptions: anyObject, headers: anyObject }),
  destination: dataSource,
  clusterDomainName: nullable(text),
  podsDiscoveryClusterDomainName: nullable(text),
  propertiesSchema: text,
  properties: personal(anyObject),
  egress,
});

const webhookEndpoint = object({
  id,
  url: personal(text),
  events: list(text),
  enabled: flag,
  description: personal(nullable(text)),
  disabledReason: nullable(text),
  disabledTimestamp: nullable(text),
});

const streamConfiguration = object({
  streamConfigurationTemplateId: id,
  dataSource,
  dataSinks: { type: 'object', additionalProperties: dataSource },
  processors: list(streamProcessor),
  dynamicWebhookEndpoints: list(webhookEndpoint),
});

const chainLink = object({
  processorId: id,
  declarationId: id,
  operationType,
  previousProcessorId: nullable(text),
  inputSchema: text,
  outputSchema: text,
  mode: oneOf('live', 'batch'),
});

const amount = nullable({ type: 'number', minimum: 0 });

const quantities = object({
  executionTime: amount,
  storageSize: amount,
  ingressSize: amount,
  egressSize: amount,
  processedAudioLength: amount,
  processedTokens: amount,
  processedInputTokens: amount,
  processedOutputTokens: amount,
});

const bill = object({
  priceList: text,
  credits: text,
  lines: list(object({ quantity: text, amount: { type: 'number' }, unit: text, rate: text, credits: text })),
});

const run = { processorId: id, attempt: ordinal };
/** Absent in what belongs to the upload. */
const ofRerun = { streamAttempt: ordinal };
const ended = { attempt: ordinal };

const streamSchemas: Record<string, Schema> = {
  StreamCreated: object({
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
  }),
  UploadCompleted: object({ bytes: count, frames: count, sha256 }),
  UploadFailed: object({ reason: text }),
  ProcessorStarted: object(run, ofRerun),
  ProcessorCompleted: object({ ...run, description: nullable(text), quantities, bill }, ofRerun),
  ProcessorFailed: object({ ...run, reason: personal(nullable(text)), errorName: id, quantities, bill }, ofRerun),
  StreamCanceled: object({ reason: text }, ended),
  StreamCompleted: object({}, ended),
  StreamFailed: object({ reason: personal(nullable(text)) }, ended),
  RerunStarted: object({
    attempt: ordinal,
    from: nullable(text),
    reason: personal(nullable(text)),
    streamConfigurationTemplateId: id,
    processors: list(
      object({ processorId: id, operationType, sourceTopic: text, destinationTopic: text, properties: personal(anyObject) }),
    ),
    idempotency: nullable(object({ keyId: id, fingerprint: sha256 })),
  }),
  StreamExpired: object({ reason: text }),
  UploadKeyTaken: object({ fingerprint: sha256 }),
};

const groupSchemas: Record<string, Schema> = {
  GroupCreated: object({ groupId: id, creatorId: id }),
  StreamJoined: object({
    groupId: id,
    streamId: id,
    streamSubject: id,
    webhooks: list(object({ url: personal(text), events: list(text) })),
  }),
  StreamWithdrawn: object({ streamId: id }),
  StreamFinished: object({ streamId: id, outcome }, ended),
  StreamReopened: object({ streamId: id, attempt: ordinal, outcome }),
  GroupCompleted: nothing,
  GroupFailed: nothing,
  StreamLeftExpired: object({ streamId: id }),
  GroupExpired: nothing,
};

const credentialsSchemas: Record<string, Schema> = {
  CredentialIssued: object({
    credentialId: id,
    subject: id,
    kind: oneOf('client', 'api-key'),
    label: personal(text),
    role: oneOf('user', 'gateway', 'auditor', 'admin'),
    clientId: nullable(text),
    secretHash: sha256,
    expiresTimestamp: nullable(text),
  }),
  CredentialRotated: object({ credentialId: id, secretHash: sha256, generation: ordinal }),
  CredentialRevoked: object({ credentialId: id, reason: text }),
};

const templateProcessor = object({
  id,
  name: personal(text),
  description: personal(nullable(text)),
  processorDeclaration: anyObject,
  previousProcessorId: nullable(text),
  propertiesSchema: text,
  properties: personal(anyObject),
  destinationTopicMessageHeaders: anyObject,
  destinationTopicHeaders: anyObject,
  sourceSubscriptionHeaders: anyObject,
  patchAliases: texts,
  egress,
});

const templatesSchemas: Record<string, Schema> = {
  TemplateSaved: object({
    template: object({
      id,
      name: personal(text),
      description: personal(nullable(text)),
      version: ordinal,
      dataSourceSchema: text,
      processors: list(templateProcessor),
      patchAliases: texts,
    }),
    baseVersion: nullable(count),
  }),
  TemplateDeleted: object({ templateId: id }),
};

const scheduled = {
  deliveryId: id,
  endpointId: id,
  eventId: id,
  type: id,
  sequence: nullable(ordinal),
  dynamicStreamId: nullable(text),
  url: personal(nullable(text)),
};
const source = { sourceEventId: id, sourceEventStream: id, sourceRevision: text, sourcePosition: text };

const deliverySchemas: Record<string, Schema> = {
  DeliveriesScheduled: object({ ...source, renderer: ordinal, deadline: text, deliveries: list(object(scheduled)) }),
  DeliveriesRecovered: object({
    requestEventId: id,
    requestPosition: text,
    renderer: ordinal,
    deadline: text,
    once: flag,
    deliveries: list(object({ ...scheduled, ...source, attempts: count })),
    scheduled: count,
    last: flag,
    refused: { enum: ['pending', 'unknown', 'disabled', null] },
  }),
  DeliveriesStopped: object({ endpointId: id, reason: text, deliveryIds: list(id) }),
  AttemptsRecorded: object({
    attempts: list(
      object({
        deliveryId: id,
        endpointId: id,
        sourceEventId: id,
        attempt: ordinal,
        at: text,
        status: nullable({ type: 'integer' }),
        milliseconds: { type: 'number', minimum: 0 },
        outcome: oneOf('delivered', 'failed', 'refused', 'exhausted'),
        reason: nullable(text),
        nextAt: nullable(text),
        response: nullable(text),
      }),
    ),
  }),
  DeliveryCarried: object({
    lastSourcePosition: text,
    lastRequestPosition: text,
    sequences: { type: 'object', additionalProperties: ordinal },
    failing: texts,
  }),
};

const endpoint = object({ endpointId: id, url: personal(text), events: list(text), enabled: flag, description: personal(nullable(text)) });

const webhookEndpointsSchemas: Record<string, Schema> = {
  EndpointCreated: endpoint,
  EndpointUpdated: endpoint,
  EndpointToggled: object({ endpointId: id, enabled: flag }),
  EndpointDisabled: object({ endpointId: id, reason: text }),
  EndpointDeleted: object({ endpointId: id }),
  EndpointSecretRotated: object({ endpointId: id, generation: ordinal, previousValidUntil: text }),
  AccountSecretRotated: object({ generation: ordinal, previousValidUntil: text }),
  RecoveryRequested: object({ endpointId: id, since: nullable(text), after: nullable(text) }),
  ResendRequested: object({ endpointId: id, deliveryId: id }),
  PingRequested: object({ endpointId: id, deliveryId: id }),
};

const auditSchemas: Record<string, Schema> = {
  LogSealed: object({
    firstEventId: id,
    lastEventId: id,
    count: ordinal,
    digest: sha256,
    heads: texts,
    trail: text,
    keyId: id,
    signature: id,
  }),
  LogRead: object({ operation: id, parameters: texts }),
  SubjectErased: object({ subject: id }),
};

const importsSchemas: Record<string, Schema> = {
  LogImported: object({ exportId: id, events: count, topics: count, deliveredThrough: nullable(text) }),
};

interface Form {
  readonly version: number;
  readonly schema: Schema;
  readonly upcast?: Readonly<Record<number, (data: JsonObject) => JsonObject>>;
}

/** Types whose form has changed since. The fixtures in `test/fixtures` are logs of the older ones. */
const CHANGED: Readonly<Record<string, Omit<Form, 'schema'>>> = {
  // 2: the public names of schemas.
  StreamCreated: { version: 2, upcast: { 1: upcastStreamCreated } },
  TemplateSaved: { version: 2, upcast: { 1: upcastTemplateSaved } },
  // 2: `reason` is personal, since it may repeat what an engine said of what was spoken. What was written before stays as it is.
  ProcessorFailed: { version: 2, upcast: { 1: (data) => data } },
  StreamFailed: { version: 2, upcast: { 1: (data) => data } },
  // 2: `trail`, which tells at which place a log differs. A seal without one still proves as much.
  LogSealed: { version: 2, upcast: { 1: (data) => ({ ...data, trail: '' }) } },
};

export const EVENT_SCHEMAS: Readonly<Record<string, Form>> = Object.fromEntries(
  Object.entries({
    ...streamSchemas,
    ...groupSchemas,
    ...credentialsSchemas,
    ...templatesSchemas,
    ...deliverySchemas,
    ...webhookEndpointsSchemas,
    ...auditSchemas,
    ...importsSchemas,
  }).map(([type, schema]) => [type, { version: 1, ...CHANGED[type], schema }]),
);
