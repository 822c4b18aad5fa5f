import { anyObject, erasable, flag, id, list, nullable, object, objectOf, oneOf, personal, record, text } from '../eventForms.ts';
import type {
  Bill,
  ChainLink,
  DataSource,
  Egress,
  ProcessorSource,
  Quantities,
  StreamConfiguration,
  StreamProcessor,
  WebhookEndpoint,
} from './streamConfiguration.ts';

/** Schemas of the parts of resources in events. */

export const operationType = oneOf(
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

export const egress = objectOf<Egress>({ persist: flag, sink: flag, tags: list(text) });

const dataSource = objectOf<DataSource>({
  topic: text,
  messageSchema: text,
  connectionOptions: anyObject,
  headers: anyObject,
  messageHeaders: anyObject,
  subscriptions: anyObject,
});

const processorSource = objectOf<ProcessorSource>({
  subscription: text,
  topic: text,
  messageSchema: text,
  connectionOptions: anyObject,
  headers: anyObject,
});

const streamProcessor = objectOf<StreamProcessor>({
  id,
  source: processorSource,
  destination: dataSource,
  clusterDomainName: nullable(text),
  podsDiscoveryClusterDomainName: nullable(text),
  propertiesSchema: text,
  properties: personal(anyObject),
  egress,
});

const webhookEndpoint = objectOf<WebhookEndpoint>({
  id,
  url: personal(text),
  events: list(text),
  enabled: flag,
  description: erasable(nullable(text)),
  disabledReason: nullable(text),
  disabledTimestamp: nullable(text),
});

export const streamConfiguration = objectOf<StreamConfiguration>({
  streamConfigurationTemplateId: id,
  dataSource,
  dataSinks: record(dataSource),
  processors: list(streamProcessor),
  dynamicWebhookEndpoints: list(webhookEndpoint),
});

export const chainLink = objectOf<ChainLink>({
  processorId: id,
  declarationId: id,
  operationType,
  previousProcessorId: nullable(text),
  inputSchema: text,
  outputSchema: text,
  mode: oneOf('live', 'batch'),
});

const amount = nullable<number>({ type: 'number', minimum: 0 });

export const quantities = objectOf<Quantities>({
  executionTime: amount,
  storageSize: amount,
  ingressSize: amount,
  egressSize: amount,
  processedAudioLength: amount,
  processedTokens: amount,
  processedInputTokens: amount,
  processedOutputTokens: amount,
});

export const bill = objectOf<Bill>({
  priceList: text,
  credits: text,
  lines: list(object({ quantity: text, amount: { type: 'number' }, unit: text, rate: text, credits: text })),
});
