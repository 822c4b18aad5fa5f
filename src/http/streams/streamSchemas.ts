import type { Stream } from '../../domain/stream/streamResource.ts';
import { OPERATION_TYPES } from '../../domain/usage/priceList.ts';
import { WEBHOOK_PAYLOADS } from '../../domain/webhookEndpoints/events.ts';
import { AUDIT_SEALED, WEBHOOK_FILTERS } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { JsonSchema } from '../../json.ts';
import {
  anyObject,
  count,
  described,
  flag,
  integer,
  integerOrNull,
  listOf,
  mapOf,
  named,
  nameOf,
  oneOf,
  partial,
  resource,
  small,
  text,
  textOrNull,
  time,
  timeOrNull,
  uuid,
} from '../input/jsonSchemas.ts';

/** Schemas of the answers about streams in `/openapi.json`: the members of the public resources. */

const STREAM_STATES = ['READY', 'COMPLETED', 'FAILED', 'EXPIRED'] as const;
export const STREAM_STATE = named('StreamState', oneOf(...STREAM_STATES));

export const OPERATION_TYPE = named('OperationType', oneOf(...Object.keys(OPERATION_TYPES)));
export const EGRESS = named('Egress', resource({ persist: flag, sink: flag, tags: listOf(text) }));

const dataSource = named(
  'DataSource',
  resource({
    topic: text,
    messageSchema: text,
    connectionOptions: anyObject,
    headers: anyObject,
    messageHeaders: anyObject,
    subscriptions: anyObject,
  }),
);

const processorSource = named(
  'ProcessorSource',
  resource({ subscription: text, topic: text, messageSchema: text, connectionOptions: anyObject, headers: anyObject }),
);

const streamProcessor = named(
  'StreamProcessor',
  resource({
    id: text,
    source: processorSource,
    destination: dataSource,
    clusterDomainName: textOrNull,
    podsDiscoveryClusterDomainName: textOrNull,
    propertiesSchema: described(text, 'Fully qualified name of the schema of the properties.'),
    properties: anyObject,
    egress: EGRESS,
  }),
);

/** The same in requests and answers. */
export const WEBHOOK_URL: JsonSchema = { type: 'string', format: 'uri' };
export const WEBHOOK_EVENT_FILTER = named('WebhookEventFilter', oneOf(...WEBHOOK_FILTERS, AUDIT_SEALED));

const WEBHOOK_ENDPOINT = {
  id: uuid,
  url: WEBHOOK_URL,
  events: described(listOf(WEBHOOK_EVENT_FILTER), 'Event types and wildcards, as given.'),
  enabled: flag,
  description: textOrNull,
  disabledReason: described(textOrNull, 'Null while enabled.'),
  disabledTimestamp: described(timeOrNull, 'Null while enabled.'),
};
const WEBHOOK_PAYLOAD = described(
  oneOf(...WEBHOOK_PAYLOADS),
  '`slim`: bodies hold ids and links instead of the stream or group. Absent on dynamic webhooks, which are always full.',
);

export const WEBHOOK_ENDPOINT_SCHEMA = named(
  'WebhookEndpoint',
  partial({ ...WEBHOOK_ENDPOINT, payload: WEBHOOK_PAYLOAD }, Object.keys(WEBHOOK_ENDPOINT)),
);

const streamConfiguration = named(
  'StreamConfiguration',
  resource({
    streamConfigurationTemplateId: text,
    dataSource,
    dataSinks: described(mapOf(dataSource), 'Map from processor id to the sink that is its destination.'),
    processors: listOf(streamProcessor),
    dynamicWebhookEndpoints: listOf(WEBHOOK_ENDPOINT_SCHEMA),
  }),
);

const STREAM_MEMBERS = {
  streamId: uuid,
  name: textOrNull,
  groupId: uuid,
  configuration: streamConfiguration,
  createdTimestamp: time,
  creatorId: uuid,
  groupCreatorId: uuid,
  state: STREAM_STATE,
  stateDescription: described(textOrNull, 'Reason of the state FAILED.'),
  finalizedTimestamp: described(timeOrNull, 'Time of completion or failure.'),
  attempt: described(count, '1 is the upload; each rerun counts up.'),
} satisfies Record<keyof Stream, JsonSchema>;

/** Not `Stream`, which most languages already have. */
export const STREAM_SCHEMA = named('MediaStream', resource(STREAM_MEMBERS));

const sort = named('Sort', resource({ unsorted: flag, sorted: flag, empty: flag }));
const pageable = named('Pageable', resource({ paged: flag, unpaged: flag, pageNumber: small, pageSize: small, offset: count, sort }));

/** The page of a list whose items have the named schema `item`. */
export const pageSchema = (item: JsonSchema): JsonSchema =>
  named(
    `${nameOf(item)}Page`,
    resource({
      totalPages: small,
      totalElements: count,
      numberOfElements: small,
      size: small,
      number: described(small, 'Number of this page, from 0.'),
      pageable,
      sort,
      content: listOf(item),
      first: flag,
      last: flag,
      empty: flag,
    }),
  );

const processorState = named('ProcessorState', oneOf('RUNNING', 'COMPLETED', 'WAITING', 'ERROR', 'CLOSED'));
const gatewayState = named('GatewayState', oneOf('CONNECTED', 'DISCONNECTED', 'CLOSED'));

const STREAM_ATTEMPT = named(
  'StreamAttempt',
  resource({
    attempt: count,
    from: described(textOrNull, 'Stage that a rerun began with; null runs the whole chain.'),
    reason: described(textOrNull, 'What the caller gave as its reason.'),
    state: oneOf('READY', 'COMPLETED', 'FAILED'),
    stateDescription: textOrNull,
    startedTimestamp: time,
    endedTimestamp: timeOrNull,
  }),
);

export const STREAM_COMPONENTS_SCHEMA = named(
  'StreamComponents',
  resource({
    streamId: uuid,
    groupId: uuid,
    state: STREAM_STATE,
    stateDescription: textOrNull,
    stateChangedTimestamp: time,
    attempt: count,
    gateway: named('GatewayComponent', resource({ state: gatewayState, stateChangedTimestamp: time })),
    processors: listOf(
      named(
        'ProcessorComponent',
        resource({
          processorId: text,
          state: processorState,
          stateChangedTimestamp: time,
          stateDescription: textOrNull,
          attempt: described(count, 'Attempt of the stream that this run belongs to.'),
          tries: described(count, 'How often the run has started in this attempt.'),
          startedTimestamp: timeOrNull,
          endedTimestamp: timeOrNull,
          errorName: textOrNull,
        }),
      ),
    ),
    attempts: described(listOf(STREAM_ATTEMPT), 'Every attempt of the stream, oldest first.'),
  }),
);

const groupState = named('GroupState', oneOf('CREATED', 'COMPLETED', 'FAILED', 'EXPIRED'));

export const GROUP_SCHEMA = named(
  'Group',
  resource({
    groupId: uuid,
    state: groupState,
    creatorId: uuid,
    createdTimestamp: time,
    finalizedTimestamp: timeOrNull,
    streamsCount: count,
  }),
);

const CREDITS = described(text, 'A decimal number, in credits or in the currency asked for.');

const processorUsage = named(
  'ProcessorUsage',
  resource({
    creatorId: uuid,
    processorId: text,
    streamConfigurationTemplateId: text,
    groupId: uuid,
    streamId: uuid,
    operationType: OPERATION_TYPE,
    attempt: described(count, 'Attempt of the stream: 1 is the upload.'),
    timestamp: described(integer, 'Milliseconds since the epoch.'),
    credits: CREDITS,
    executionTime: described(integerOrNull, 'Milliseconds.'),
    storageSize: described(integerOrNull, 'Bytes kept.'),
    ingressSize: described(integerOrNull, 'Bytes read.'),
    egressSize: described(integerOrNull, 'Bytes of output.'),
    processedAudioLength: described(integerOrNull, 'Milliseconds.'),
    processedTokens: integerOrNull,
    processedInputTokens: integerOrNull,
    processedOutputTokens: integerOrNull,
    finalUsage: described(flag, 'Whether the processor has finished.'),
    errorOccurred: flag,
  }),
);

export const STREAM_USAGE_SCHEMA = named(
  'StreamUsage',
  resource({
    creatorId: uuid,
    groupId: uuid,
    streamId: uuid,
    streamConfigurationTemplateId: text,
    currency: described(textOrNull, 'Currency of the amounts in `credits`. Null if they are credits.'),
    processors: listOf(processorUsage),
  }),
);

/** States in webhook events. */
export const STATES = { streamState: STREAM_STATE, groupState, gatewayState, processorState } as const;
