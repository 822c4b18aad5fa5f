import type { Json, JsonObject } from '../../json.ts';

/** Members of the public resources, exactly as they are answered. Every member is always present; without a value it is null, {} or []. */

export type StreamState = 'READY' | 'COMPLETED' | 'FAILED' | 'EXPIRED';
export type GatewayState = 'CONNECTED' | 'DISCONNECTED' | 'CLOSED';
export type ProcessorState = 'WAITING' | 'RUNNING' | 'COMPLETED' | 'ERROR' | 'CLOSED';

export type OperationType =
  | 'BATCH_TRANSCRIPTION'
  | 'REAL_TIME_TRANSCRIPTION'
  | 'SPEAKERS_DIARIZATION'
  | 'VOICE_ACTIVITY_DETECTION'
  | 'TRANSCODE'
  | 'TRANSLATION'
  | 'SUMMARIZATION'
  | 'SENTIMENT_ANALYSIS'
  | 'NO_OPERATION'
  | 'LLM_PROCESSING';

/** A data source, and a processor's destination. `topic` is `persistent://<deployment>/<kind>/<uuid>`; its last part is the topic id. */
export interface DataSource {
  topic: string;
  messageSchema: string;
  connectionOptions: JsonObject;
  headers: JsonObject;
  messageHeaders: JsonObject;
  subscriptions: JsonObject;
}

export interface ProcessorSource {
  subscription: string;
  topic: string;
  messageSchema: string;
  connectionOptions: JsonObject;
  headers: JsonObject;
}

export interface Egress {
  persist: boolean;
  sink: boolean;
  tags: string[];
}

export interface StreamProcessor {
  id: string;
  source: ProcessorSource;
  destination: DataSource;
  clusterDomainName: string | null;
  podsDiscoveryClusterDomainName: string | null;
  propertiesSchema: string;
  properties: JsonObject;
  egress: Egress;
}

/** A webhook endpoint as shown; a dynamic one has the id `uuidv5(streamId, url)`. */
export interface WebhookEndpoint {
  id: string;
  url: string;
  events: string[];
  enabled: boolean;
  description: string | null;
  disabledReason: string | null;
  disabledTimestamp: string | null;
}

export interface StreamConfiguration {
  streamConfigurationTemplateId: string;
  dataSource: DataSource;
  /** Processor id to its destination, for processors that are sinks. */
  dataSinks: Record<string, DataSource>;
  processors: StreamProcessor[];
  dynamicWebhookEndpoints: WebhookEndpoint[];
}

/** A link of the chain, with members that the resource does not show. Part of `StreamCreated`. */
export interface ChainLink {
  processorId: string;
  declarationId: string;
  operationType: OperationType;
  /** `null` reads the data source. */
  previousProcessorId: string | null;
  /** `bytes`, `string` or a message schema's fully qualified name. */
  inputSchema: string;
  outputSchema: string;
  /** Live processors run from the first byte, batch ones wait for the end of their input. */
  mode: 'live' | 'batch';
}

/** One webhook of an upload, before it becomes an endpoint. `events`: `["*"]`, `["stream.*"]` or event types. */
export interface DynamicWebhook {
  url: string;
  events: string[];
}

/** The last part of a topic's public name. */
export const topicId = (topicName: string): string => topicName.slice(topicName.lastIndexOf('/') + 1);

/** Usage of a run. Sizes in bytes, times in milliseconds; `null` where the quantity does not apply. */
export interface Quantities {
  executionTime: number | null;
  storageSize: number | null;
  ingressSize: number | null;
  egressSize: number | null;
  processedAudioLength: number | null;
  processedTokens: number | null;
  processedInputTokens: number | null;
  processedOutputTokens: number | null;
}

/** The bill of one run, stored in its event, so that a replay gives the same. Amounts are decimal text. */
export interface Bill {
  priceList: string;
  credits: string;
  /** The charges that add up to `credits`. */
  lines: { quantity: keyof Quantities; amount: number; unit: string; rate: string; credits: string }[];
}

export type { Json };
