import type { JsonSchema } from '../json.ts';

/** What `/openapi.json` says of the answers about streams: the members of the public resources. */

const text: JsonSchema = { type: 'string' };
const textOrNull: JsonSchema = { type: ['string', 'null'] };
const uuid: JsonSchema = { type: 'string', format: 'uuid' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
const timeOrNull: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const integer: JsonSchema = { type: 'integer' };
const integerOrNull: JsonSchema = { type: ['integer', 'null'] };
const number: JsonSchema = { type: 'number' };
const flag: JsonSchema = { type: 'boolean' };
const anything: JsonSchema = { type: 'object', additionalProperties: true };
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });
const oneOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });

/** All members are always there. */
const resource = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** Members that do not apply are absent. */
const partial = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ type: 'object', properties });

export const STREAM_STATES = ['READY', 'COMPLETED', 'FAILED', 'EXPIRED'] as const;

const dataSource = resource({
  topic: text,
  messageSchema: text,
  connectionOptions: anything,
  headers: anything,
  messageHeaders: anything,
  subscriptions: anything,
});

const streamProcessor = resource({
  id: text,
  source: resource({ subscription: text, topic: text, messageSchema: text, connectionOptions: anything, headers: anything }),
  destination: dataSource,
  clusterDomainName: textOrNull,
  podsDiscoveryClusterDomainName: textOrNull,
  propertiesSchema: text,
  properties: anything,
  egress: resource({ persist: flag, sink: flag, tags: listOf(text) }),
});

const webhookEndpoint = resource({
  id: uuid,
  url: text,
  events: listOf(text),
  enabled: flag,
  description: textOrNull,
  disabledReason: textOrNull,
  disabledTimestamp: timeOrNull,
});

export const STREAM_SCHEMA = resource({
  streamId: uuid,
  name: textOrNull,
  groupId: uuid,
  configuration: resource({
    streamConfigurationTemplateId: text,
    dataSource,
    dataSinks: mapOf(dataSource),
    processors: listOf(streamProcessor),
    dynamicWebhookEndpoints: listOf(webhookEndpoint),
  }),
  createdTimestamp: time,
  creatorId: uuid,
  groupCreatorId: uuid,
  state: oneOf(...STREAM_STATES),
  stateDescription: textOrNull,
  finalizedTimestamp: timeOrNull,
});

const sort = resource({ unsorted: flag, sorted: flag, empty: flag });

/** The page of a list whose items have the schema `item`. */
export const pageSchema = (item: JsonSchema): JsonSchema =>
  resource({
    totalPages: integer,
    totalElements: integer,
    numberOfElements: integer,
    size: integer,
    number: integer,
    pageable: resource({ paged: flag, unpaged: flag, pageNumber: integer, pageSize: integer, offset: integer, sort }),
    sort,
    content: listOf(item),
    first: flag,
    last: flag,
    empty: flag,
  });

export const STREAM_COMPONENTS_SCHEMA = resource({
  streamId: uuid,
  groupId: uuid,
  state: oneOf(...STREAM_STATES),
  stateDescription: textOrNull,
  stateChangedTimestamp: time,
  gateway: resource({ state: oneOf('CONNECTED', 'DISCONNECTED', 'CLOSED'), stateChangedTimestamp: time }),
  processors: listOf(
    resource({
      processorId: text,
      state: oneOf('RUNNING', 'COMPLETED', 'WAITING', 'ERROR', 'CLOSED'),
      stateChangedTimestamp: time,
      stateDescription: textOrNull,
    }),
  ),
});

export const GROUP_SCHEMA = resource({
  groupId: uuid,
  state: oneOf('CREATED', 'COMPLETED', 'FAILED', 'EXPIRED'),
  creatorId: uuid,
  createdTimestamp: time,
  finalizedTimestamp: timeOrNull,
  streamsCount: integer,
});

export const STREAM_USAGE_SCHEMA = resource({
  creatorId: uuid,
  groupId: uuid,
  streamId: uuid,
  streamConfigurationTemplateId: text,
  currency: textOrNull,
  processors: listOf(
    resource({
      creatorId: uuid,
      processorId: text,
      streamConfigurationTemplateId: text,
      groupId: uuid,
      streamId: uuid,
      operationType: text,
      timestamp: { type: 'integer', description: 'Milliseconds since the epoch.' },
      credits: { type: 'string', description: 'A decimal number, in credits or in the currency asked for.' },
      executionTime: integerOrNull,
      storageSize: integerOrNull,
      ingressSize: integerOrNull,
      egressSize: integerOrNull,
      processedAudioLength: integerOrNull,
      processedTokens: integerOrNull,
      processedInputTokens: integerOrNull,
      processedOutputTokens: integerOrNull,
      finalUsage: flag,
      errorOccurred: flag,
    }),
  ),
});

const word = partial({
  word: text,
  start: number,
  end: number,
  confidence: number,
  language: text,
  speakers: listOf(text),
  speakersOverlap: flag,
  channel: text,
});

const utterance = partial({
  speakerIds: listOf(text),
  overlap: flag,
  channel: text,
  start: number,
  end: number,
  text,
  words: listOf(word),
});

const transcription = resource({ text, words: listOf(word) });
const sentiment = oneOf('negative', 'neutral', 'positive');
const counts = { negativeCount: integer, positiveCount: integer, neutralCount: integer, averageScore: number, sentiment };

export const EXPORT_RESULT_SCHEMA = partial({
  transcription,
  utterances: listOf(utterance),
  summary: resource({ content: text }),
  askAnything: mapOf(resource({ promptId: text, content: text, responseFormatSpecification: textOrNull })),
  sentimentAnalysis: resource({
    segments: listOf(
      partial({
        text,
        sentiment,
        channel: number,
        startTime: { type: ['number', 'null'] },
        endTime: { type: ['number', 'null'] },
        score: number,
      }),
    ),
    summary: partial({ ...counts, channels: listOf(resource({ channel: number, ...counts })) }),
  }),
  enhancedTranscription: partial({ transcription, utterances: listOf(utterance) }),
});
