import { isoTime } from '../clock.ts';
import { type DeliveryEvent, isDeliveryEvent, NOTHING_SENT, type RecordedAttempt } from '../domain/delivery/events.ts';
import { isWebhookEndpointsEvent, type WebhookEndpointsEvent } from '../domain/webhookEndpoints/events.ts';
import { hiddenHeaders } from '../domain/webhookEndpoints/headers.ts';
import { type Endpoint, webhookEndpointsDecider } from '../domain/webhookEndpoints/state.ts';
import { AUDIT_SEALED } from '../domain/webhookEndpoints/webhookEventTypes.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import type { Projection } from './projection.ts';

/** Summary of an endpoint's attempts since it was created, enabled, or given its URL. Times are the ends of attempts, ISO 8601. */
export interface AttemptTotals {
  lastSuccess: string | null;
  lastFailure: string | null;
  /** The first success or failure of the present series; one of the two is `null`. */
  healthySince: string | null;
  failingSince: string | null;
  /** In a row. */
  failures: number;
  /** The last of them, up to `RECENT`. */
  recentFailures: readonly string[];
  /** Of the last failure; `null` after a success. */
  reason: string | null;
}

/** Lists filter by it. `erased`: its owner has been erased, and no list shows it. */
export type EndpointCondition = 'healthy' | 'failing' | 'unknown' | 'disabled' | 'erased';

/** One registered endpoint and its health, without the values of its headers. The URL is empty once its owner has been erased. */
export interface EndpointDocument extends Endpoint {
  subject: string;
  createdTimestamp: string;
  totals: AttemptTotals;
  condition: EndpointCondition;
  /** Whether it has ever named `audit.sealed`. Its events at the position of a seal decide whether it gets the seal. */
  namedSeals: boolean;
}

/** Failures of an endpoint that can be compared with a success of another one at its origin. */
const RECENT = 20;

const NO_ATTEMPT: AttemptTotals = {
  lastSuccess: null,
  lastFailure: null,
  healthySince: null,
  failingSince: null,
  failures: 0,
  recentFailures: [],
  reason: null,
};

const conditionOf = ({ url, enabled }: Endpoint, { failures, lastSuccess }: AttemptTotals): EndpointCondition => {
  if (url === '') return 'erased';
  if (!enabled) return 'disabled';
  if (failures > 0) return 'failing';
  return lastSuccess === null ? 'unknown' : 'healthy';
};

const withTotals = (document: EndpointDocument, totals: AttemptTotals): EndpointDocument => ({
  ...document,
  totals,
  condition: conditionOf(document, totals),
});

const addAttempt = (totals: AttemptTotals, { at, milliseconds, outcome, status, reason }: RecordedAttempt): AttemptTotals => {
  const ended = isoTime(Date.parse(at) + milliseconds);
  if (outcome === 'delivered')
    return { ...NO_ATTEMPT, lastFailure: totals.lastFailure, lastSuccess: ended, healthySince: totals.healthySince ?? ended };
  // It says nothing about the endpoint.
  if (status === null && reason !== null && NOTHING_SENT.has(reason)) return totals;
  const { failingSince, failures } = totals;
  const recentFailures = [...totals.recentFailures, ended].slice(-RECENT);
  const series = { failingSince: failingSince ?? ended, failures: failures + 1, recentFailures };
  return { ...totals, lastFailure: ended, healthySince: null, ...series, reason };
};

/** A series of failures whose attempts have left the log. */
const carried = (totals: AttemptTotals, since: string | undefined): AttemptTotals =>
  since === undefined || totals.failures > 0
    ? totals
    : { ...totals, lastFailure: since, healthySince: null, failingSince: since, failures: 1, recentFailures: [since] };

/** With the empty URL of an erased owner, which reads as `null`, and without the values of headers. */
const readable = (event: WebhookEndpointsEvent): WebhookEndpointsEvent => {
  if (event.type !== 'EndpointCreated' && event.type !== 'EndpointUpdated') return event;
  const { url, headers } = event.data;
  return { type: event.type, data: { ...event.data, url: url ?? '', headers: hiddenHeaders(headers) } };
};

const evolveSettings = (document: EndpointDocument | null, event: RecordedEvent & WebhookEndpointsEvent): EndpointDocument | null => {
  const { time, subject } = event.metadata;
  const before = { ...webhookEndpointsDecider.initialState(), endpoints: document ? [document] : [] };
  const [endpoint] = webhookEndpointsDecider.evolve(before, readable(event), time).endpoints;
  if (!endpoint) return null;
  // Attempts to another URL, or from before it was enabled again, say nothing about it now.
  const isSame = document?.url === endpoint.url && document.enabledTimestamp === endpoint.enabledTimestamp && endpoint.url !== '';
  const totals = isSame ? document.totals : NO_ATTEMPT;
  const createdTimestamp = document?.createdTimestamp ?? time;
  const namedSeals = document?.namedSeals === true || endpoint.events.includes(AUDIT_SEALED);
  return { ...endpoint, subject, createdTimestamp, totals, condition: conditionOf(endpoint, totals), namedSeals };
};

const evolveHealth = (document: EndpointDocument, event: DeliveryEvent, id: string): EndpointDocument => {
  if (document.condition === 'erased') return document;
  if (event.type === 'DeliveryCarried') return withTotals(document, carried(document.totals, event.data.failing[id]));
  if (event.type !== 'AttemptsRecorded') return document;
  return withTotals(document, event.data.attempts.filter(({ endpointId }) => endpointId === id).reduce(addAttempt, document.totals));
};

/** The read model of registered endpoints, with their health from the recorded attempts. Dynamic webhooks are not in it. */
export const endpointsProjection: Projection<EndpointDocument> = {
  name: 'endpoints',
  version: 3,
  indexes: [['subject', 'createdTimestamp'], ['condition', 'createdTimestamp'], ['namedSeals']],
  handles: [
    ...([
      'EndpointCreated',
      'EndpointUpdated',
      'EndpointToggled',
      'EndpointDisabled',
      'EndpointHealthChanged',
      'EndpointDeleted',
      'EndpointSecretRotated',
    ] satisfies WebhookEndpointsEvent['type'][]),
    ...(['AttemptsRecorded', 'DeliveryCarried'] satisfies DeliveryEvent['type'][]),
  ],
  personal: {
    owner: 'subject',
    orderedBy: 'createdTimestamp',
    redact: (document) =>
      document.condition === 'erased'
        ? document
        : { ...document, url: '', description: null, filter: null, totals: NO_ATTEMPT, condition: 'erased' },
  },
  idsOf: (event) => {
    if (isDeliveryEvent(event)) {
      if (event.type === 'AttemptsRecorded') return [...new Set(event.data.attempts.map(({ endpointId }) => endpointId))];
      return event.type === 'DeliveryCarried' ? Object.keys(event.data.failing) : [];
    }
    return isWebhookEndpointsEvent(event) && 'endpointId' in event.data ? [event.data.endpointId] : [];
  },
  evolve: (document, event, id) => {
    if (isWebhookEndpointsEvent(event)) return evolveSettings(document, event);
    return document && isDeliveryEvent(event) ? evolveHealth(document, event, id) : document;
  },
};
