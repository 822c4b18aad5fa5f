import type { Schema, Shape } from '../../json.ts';
import * as s from '../../schema.ts';
import { personal, personalOfOldEvents } from '../eventForms.ts';

/**
 * Members of the public resources, exactly as they are answered and stored in events. Every member is always present; without a value it is null, {}
 * or [].
 */

export type StreamState = 'READY' | 'COMPLETED' | 'FAILED' | 'EXPIRED';
export type GatewayState = 'CONNECTED' | 'DISCONNECTED' | 'CLOSED';
export type ProcessorState = 'WAITING' | 'RUNNING' | 'COMPLETED' | 'ERROR' | 'CLOSED';

export const OPERATION_TYPES = [
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
  'REDACTION',
] as const;
export const operationType = s.oneOf(...OPERATION_TYPES);
export type OperationType = Shape<typeof operationType>;

export const dataSource = s.object({
  topic: s.text,
  messageSchema: s.text,
  connectionOptions: s.anyObject,
  headers: s.anyObject,
  messageHeaders: s.anyObject,
  subscriptions: s.anyObject,
});
/** A data source, and a processor's destination. `topic` is `persistent://<deployment>/<kind>/<uuid>`; its last part is the topic id. */
export type DataSource = Shape<typeof dataSource>;

export const processorSource = s.object({
  subscription: s.text,
  topic: s.text,
  messageSchema: s.text,
  connectionOptions: s.anyObject,
  headers: s.anyObject,
});
export type ProcessorSource = Shape<typeof processorSource>;

export const egress = s.object({ persist: s.flag, sink: s.flag, tags: s.list(s.text) });
export type Egress = Shape<typeof egress>;

const streamProcessor = s.object({
  id: s.id,
  source: processorSource,
  destination: dataSource,
  clusterDomainName: s.nullable(s.text),
  podsDiscoveryClusterDomainName: s.nullable(s.text),
  propertiesSchema: s.text,
  properties: personalOfOldEvents(s.anyObject),
  egress,
});
export type StreamProcessor = Shape<typeof streamProcessor>;

const webhookEndpoint = s.object({
  id: s.id,
  url: personalOfOldEvents(s.text),
  events: s.list(s.text),
  enabled: s.flag,
  description: personal(s.nullable(s.text)),
  disabledReason: s.nullable(s.text),
  disabledTimestamp: s.nullable(s.text),
});
/** A webhook endpoint as shown; a dynamic one has the id `uuidv5(streamId, url)`. */
export type WebhookEndpoint = Shape<typeof webhookEndpoint>;

export const streamConfiguration = s.object({
  streamConfigurationTemplateId: s.id,
  dataSource,
  /** Processor id to its destination, for processors that are sinks. */
  dataSinks: s.map(dataSource),
  processors: s.list(streamProcessor),
  dynamicWebhookEndpoints: s.list(webhookEndpoint),
});
export type StreamConfiguration = Shape<typeof streamConfiguration>;

export const chainLink = s.object({
  processorId: s.id,
  declarationId: s.id,
  operationType,
  /** `null` reads the data source. */
  previousProcessorId: s.nullable(s.text),
  /** `bytes`, `string` or a message schema's fully qualified name. */
  inputSchema: s.text,
  outputSchema: s.text,
  /** Live processors run from the first byte, batch ones wait for the end of their input. */
  mode: s.oneOf('live', 'batch'),
});
/** A link of the chain, with members that the resource does not show. Part of `StreamCreated`. */
export type ChainLink = Shape<typeof chainLink>;

export const dynamicWebhook = s.object({ url: personalOfOldEvents(s.text), events: s.list(s.text) });
/** One webhook of an upload, before it becomes an endpoint. `events`: `["*"]`, `["stream.*"]` or event types. */
export type DynamicWebhook = Shape<typeof dynamicWebhook>;

/** The last part of a topic's public name. */
export const topicId = (topicName: string): string => topicName.slice(topicName.lastIndexOf('/') + 1);

const amount: Schema<number | null> = { type: ['number', 'null'], minimum: 0 };

export const quantities = s.object({
  executionTime: amount,
  storageSize: amount,
  ingressSize: amount,
  egressSize: amount,
  processedAudioLength: amount,
  processedTokens: amount,
  processedInputTokens: amount,
  processedOutputTokens: amount,
});
/** Usage of a run. Sizes in bytes, times in milliseconds; `null` where the quantity does not apply. */
export type Quantities = Shape<typeof quantities>;

const quantity: Schema<keyof Quantities> = { type: 'string' };
export const bill = s.object({
  priceList: s.text,
  credits: s.text,
  /** The charges that add up to `credits`. */
  lines: s.list(s.object({ quantity, amount: s.number, unit: s.text, rate: s.text, credits: s.text })),
});
/** The bill of one run, stored in its event, so that a replay gives the same. Amounts are decimal text. */
export type Bill = Shape<typeof bill>;
