import * as stored from '../../domain/stream/streamConfiguration.ts';
import type { Stream } from '../../domain/stream/streamResource.ts';
import { WEBHOOK_PAYLOADS } from '../../domain/webhookEndpoints/events.ts';
import { AUDIT_SEALED, WEBHOOK_FILTERS } from '../../domain/webhookEndpoints/webhookEventTypes.ts';
import type { JsonSchema } from '../../json.ts';
import * as s from '../../schema.ts';

/** Schemas of the answers about streams in `/openapi.json`: the members of the public resources. */

const STREAM_STATES = ['READY', 'COMPLETED', 'FAILED', 'EXPIRED'] as const;
export const STREAM_STATE = s.named('StreamState', s.oneOf(...STREAM_STATES));

export const OPERATION_TYPE = s.named('OperationType', s.oneOf(...stored.OPERATION_TYPES));
export const EGRESS = s.named('Egress', s.answered(stored.egress));
const dataSource = s.named('DataSource', s.answered(stored.dataSource));
const processorSource = s.named('ProcessorSource', s.answered(stored.processorSource));

const streamProcessor = s.named(
  'StreamProcessor',
  s.resource({
    id: s.text,
    source: processorSource,
    destination: dataSource,
    clusterDomainName: s.nullable(s.text),
    podsDiscoveryClusterDomainName: s.nullable(s.text),
    propertiesSchema: s.described(s.text, 'Fully qualified name of the schema of the properties.'),
    properties: s.anyObject,
    egress: EGRESS,
  }),
);

/** The same in requests and answers. */
export const WEBHOOK_URL: JsonSchema = { type: 'string', format: 'uri' };
export const WEBHOOK_EVENT_FILTER = s.named('WebhookEventFilter', s.oneOf(...WEBHOOK_FILTERS, AUDIT_SEALED));

const WEBHOOK_ENDPOINT = {
  id: s.uuid,
  url: WEBHOOK_URL,
  events: s.described(s.list(WEBHOOK_EVENT_FILTER), 'Event types and wildcards, as given.'),
  enabled: s.flag,
  description: s.nullable(s.text),
  disabledReason: s.described(s.nullable(s.text), 'Null while enabled.'),
  disabledTimestamp: s.described(s.nullable(s.time), 'Null while enabled.'),
};
const WEBHOOK_PAYLOAD = s.described(
  s.oneOf(...WEBHOOK_PAYLOADS),
  '`slim`: bodies hold ids and links instead of the stream or group. Absent on dynamic webhooks, which are always full.',
);

export const HEALTH_STATES = ['healthy', 'failing', 'held', 'disabled', 'unknown'] as const;
export const HEALTH_STATE_SCHEMA = s.named(
  'WebhookHealthState',
  s.described(
    s.oneOf(...HEALTH_STATES),
    '`failing`: the last attempt failed. `held`: at least WEBHOOK_HOLD_FAILURES have failed in a row at its origin, which it may share with other endpoints, so one attempt is made there in WEBHOOK_HOLD_S. `unknown`: no attempt yet since it was created, enabled or given its URL.',
  ),
);

const WEBHOOK_HEALTH = s.named(
  'WebhookHealth',
  s.described(
    s.resource({
      state: HEALTH_STATE_SCHEMA,
      since: s.described(s.nullable(s.time), 'When the state began; of `held`, the first failure.'),
      lastSuccess: s.nullable(s.time),
      lastFailure: s.nullable(s.time),
      reason: s.described(s.nullable(s.text), 'Of the last failure, or why it is disabled.'),
      nextProbe: s.described(s.nullable(s.time), 'When a held endpoint gets its next attempt. Null: nothing is pending.'),
    }),
    'Computed from the recorded attempts. It changes without the ETag. Absent on dynamic webhooks.',
  ),
);

export const WEBHOOK_ENDPOINT_SCHEMA = s.named(
  'WebhookEndpoint',
  s.partial(
    {
      ...WEBHOOK_ENDPOINT,
      subject: s.described(s.uuid, 'Owner. Only in a list of all users.'),
      payload: WEBHOOK_PAYLOAD,
      headers: s.described(s.map(s.text), 'Headers of your own, with `***` for each value. Absent on dynamic webhooks.'),
      filter: s.described(s.nullable(s.anyObject), 'What events must contain. Null: no filter. Absent on dynamic webhooks.'),
      retryWindow: s.described(s.small, 'How long deliveries are retried, in seconds. Absent on dynamic webhooks.'),
      health: WEBHOOK_HEALTH,
    },
    Object.keys(WEBHOOK_ENDPOINT) as (keyof typeof WEBHOOK_ENDPOINT)[],
  ),
);

const streamConfiguration = s.named(
  'StreamConfiguration',
  s.resource({
    streamConfigurationTemplateId: s.text,
    dataSource,
    dataSinks: s.described(s.map(dataSource), 'Map from processor id to the sink that is its destination.'),
    processors: s.list(streamProcessor),
    dynamicWebhookEndpoints: s.list(WEBHOOK_ENDPOINT_SCHEMA),
  }),
);

const STREAM_MEMBERS = {
  streamId: s.uuid,
  name: s.nullable(s.text),
  labels: s.described(s.list(s.text), 'Labels of the owner, at most 20.'),
  groupId: s.uuid,
  configuration: streamConfiguration,
  createdTimestamp: s.time,
  creatorId: s.uuid,
  groupCreatorId: s.uuid,
  state: STREAM_STATE,
  stateDescription: s.described(s.nullable(s.text), 'Reason of the state FAILED.'),
  finalizedTimestamp: s.described(s.nullable(s.time), 'Time of completion or failure.'),
  attempt: s.described(s.count, '1 is the upload; each rerun counts up.'),
} satisfies Record<keyof Stream, JsonSchema>;

/** Not `Stream`, which most languages already have. */
export const STREAM_SCHEMA = s.named('MediaStream', s.resource(STREAM_MEMBERS));

const sort = s.named('Sort', s.resource({ unsorted: s.flag, sorted: s.flag, empty: s.flag }));
const pageable = s.named(
  'Pageable',
  s.resource({ paged: s.flag, unpaged: s.flag, pageNumber: s.small, pageSize: s.small, offset: s.count, sort }),
);

export const pageSchema = (item: JsonSchema): JsonSchema =>
  s.named(
    `${s.nameOf(item)}Page`,
    s.resource({
      totalPages: s.small,
      totalElements: s.count,
      numberOfElements: s.small,
      size: s.small,
      number: s.described(s.small, 'Number of this page, from 0.'),
      pageable,
      sort,
      content: s.list(item),
      first: s.flag,
      last: s.flag,
      empty: s.flag,
    }),
  );

const processorState = s.named('ProcessorState', s.oneOf('RUNNING', 'COMPLETED', 'WAITING', 'ERROR', 'CLOSED'));
const gatewayState = s.named('GatewayState', s.oneOf('CONNECTED', 'DISCONNECTED', 'CLOSED'));

export const ADVICE = s.described(s.nullable(s.text), 'What to do about the failure of the stream. Null unless it failed.');

const STREAM_ATTEMPT = s.named(
  'StreamAttempt',
  s.resource({
    attempt: s.count,
    from: s.described(s.nullable(s.text), 'Stage that a rerun began with; null runs the whole chain.'),
    reason: s.described(s.nullable(s.text), 'What the caller gave as its reason.'),
    state: s.oneOf('READY', 'COMPLETED', 'FAILED'),
    stateDescription: s.nullable(s.text),
    startedTimestamp: s.time,
    endedTimestamp: s.nullable(s.time),
  }),
);

export const STREAM_COMPONENTS_SCHEMA = s.named(
  'StreamComponents',
  s.resource({
    streamId: s.uuid,
    groupId: s.uuid,
    state: STREAM_STATE,
    stateDescription: s.nullable(s.text),
    advice: ADVICE,
    stateChangedTimestamp: s.time,
    attempt: s.count,
    gateway: s.named('GatewayComponent', s.resource({ state: gatewayState, stateChangedTimestamp: s.time })),
    processors: s.list(
      s.named(
        'ProcessorComponent',
        s.resource({
          processorId: s.text,
          state: processorState,
          stateChangedTimestamp: s.time,
          stateDescription: s.nullable(s.text),
          attempt: s.described(s.count, 'Attempt of the stream that this run belongs to.'),
          tries: s.described(s.count, 'How often the run has started in this attempt.'),
          startedTimestamp: s.nullable(s.time),
          endedTimestamp: s.nullable(s.time),
          errorName: s.nullable(s.text),
        }),
      ),
    ),
    attempts: s.described(s.list(STREAM_ATTEMPT), 'Every attempt of the stream, oldest first.'),
  }),
);

const groupState = s.named('GroupState', s.oneOf('CREATED', 'COMPLETED', 'FAILED', 'EXPIRED'));

export const GROUP_SCHEMA = s.named(
  'Group',
  s.resource({
    groupId: s.uuid,
    state: groupState,
    creatorId: s.uuid,
    createdTimestamp: s.time,
    finalizedTimestamp: s.nullable(s.time),
    streamsCount: s.count,
  }),
);

const CREDITS = s.described(s.text, 'A decimal number, in credits or in the currency asked for.');

/** The same in a usage record and in a timeline. */
export const QUANTITY_MEMBERS = {
  executionTime: s.described(s.nullable(s.integer), 'Milliseconds.'),
  storageSize: s.described(s.nullable(s.integer), 'Bytes kept.'),
  ingressSize: s.described(s.nullable(s.integer), 'Bytes read.'),
  egressSize: s.described(s.nullable(s.integer), 'Bytes of output.'),
  processedAudioLength: s.described(s.nullable(s.integer), 'Milliseconds.'),
  processedTokens: s.nullable(s.integer),
  processedInputTokens: s.nullable(s.integer),
  processedOutputTokens: s.nullable(s.integer),
} satisfies Record<keyof stored.Quantities, JsonSchema>;

const processorUsage = s.named(
  'ProcessorUsage',
  s.resource({
    creatorId: s.uuid,
    processorId: s.text,
    streamConfigurationTemplateId: s.text,
    groupId: s.uuid,
    streamId: s.uuid,
    operationType: OPERATION_TYPE,
    attempt: s.described(s.count, 'Attempt of the stream: 1 is the upload.'),
    timestamp: s.described(s.integer, 'Milliseconds since the epoch.'),
    credits: CREDITS,
    ...QUANTITY_MEMBERS,
    finalUsage: s.described(s.flag, 'Whether the processor has finished.'),
    errorOccurred: s.flag,
  }),
);

export const STREAM_USAGE_SCHEMA = s.named(
  'StreamUsage',
  s.resource({
    creatorId: s.uuid,
    groupId: s.uuid,
    streamId: s.uuid,
    streamConfigurationTemplateId: s.text,
    currency: s.described(s.nullable(s.text), 'Currency of the amounts in `credits`. Null if they are credits.'),
    processors: s.list(processorUsage),
  }),
);

/** States in webhook events. */
export const STATES = { streamState: STREAM_STATE, groupState, gatewayState, processorState } as const;
