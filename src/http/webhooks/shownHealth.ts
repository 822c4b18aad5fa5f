import { type Clock, DAY_MILLISECONDS, isoTime } from '../../clock.ts';
import type { Endpoint } from '../../domain/webhookEndpoints/state.ts';
import type { Limits } from '../../limits.ts';
import { deliveriesProjection } from '../../projections/deliveries.ts';
import { type EndpointCondition, type EndpointDocument, endpointsProjection } from '../../projections/endpoints.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { HEALTH_STATES } from '../streams/streamSchemas.ts';
import { type OriginSeries, seriesByOrigin } from './origins.ts';

export type HealthState = (typeof HEALTH_STATES)[number];

export interface EndpointHealth {
  readonly state: HealthState;
  readonly since: string | null;
  readonly lastSuccess: string | null;
  readonly lastFailure: string | null;
  readonly reason: string | null;
  readonly nextProbe: string | null;
}

export interface HealthDeps {
  readonly readModels: Pick<ReadModels, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<Limits, 'webhookHoldFailures' | 'webhookHoldS'>;
}

/** The log keeps attempts this long. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

/**
 * Conditions of the documents that may have a health. Old attempts are forgotten without an event: then it is unknown. An origin is held for all of its
 * endpoints.
 */
export const conditionsOf = (state: HealthState): EndpointCondition[] =>
  state === 'unknown' || state === 'held' ? ['unknown', 'healthy', 'failing'] : [state];

/** The documents of all endpoints of some owners. */
export const documentsOf = async (
  { readModels }: Pick<HealthDeps, 'readModels'>,
  subjects: readonly string[],
): Promise<EndpointDocument[]> =>
  subjects.length === 0
    ? []
    : readModels.find(endpointsProjection, { where: { subject: [...new Set(subjects)] }, limit: Number.MAX_SAFE_INTEGER });

/** Health by endpoint id. Endpoints without a document are `unknown`. `documents`: all of their owners. */
export const healthOfAll = async (
  deps: HealthDeps,
  endpoints: readonly Endpoint[],
  documents: readonly EndpointDocument[],
): Promise<ReadonlyMap<string, EndpointHealth>> => {
  const known = new Map(documents.map((document) => [document.endpointId, document]));
  const seriesAt = seriesByOrigin(documents);
  const all = endpoints.map(async (endpoint) => {
    const document = known.get(endpoint.endpointId);
    const series = document ? seriesAt(document.subject, endpoint.url) : null;
    return [endpoint.endpointId, await healthOf(deps, endpoint, document, series)] as const;
  });
  return new Map(await Promise.all(all));
};

/** `endpoint` may be newer than its document. */
const healthOf = async (
  deps: HealthDeps,
  endpoint: Endpoint,
  document: EndpointDocument | undefined,
  atOrigin: OriginSeries | null,
): Promise<EndpointHealth> => {
  const { enabled, url, enabledTimestamp, disabledReason, disabledTimestamp } = endpoint;
  const totals = document?.url === url && document.enabledTimestamp === enabledTimestamp ? document.totals : null;
  const kept = isoTime(deps.clock.now() - KEPT_MILLISECONDS);
  const ifKept = (time: string | null | undefined) => (time && time >= kept ? time : null);
  const [lastSuccess, lastFailure] = [ifKept(totals?.lastSuccess), ifKept(totals?.lastFailure)];
  const times = { lastSuccess, lastFailure, nextProbe: null };
  if (!enabled) return { state: 'disabled', since: disabledTimestamp, reason: disabledReason, ...times };
  const lastAtOrigin = ifKept(atOrigin?.lastFailure);
  if (atOrigin && lastAtOrigin !== null && atOrigin.failures >= deps.limits.webhookHoldFailures) {
    const { since, reason } = totals && totals.failures > 0 ? { since: totals.failingSince, reason: totals.reason } : atOrigin;
    return { state: 'held', since, reason, ...times, nextProbe: await nextProbe(deps, endpoint.endpointId, lastAtOrigin) };
  }
  if (!totals || (lastSuccess === null && lastFailure === null))
    return { state: 'unknown', since: enabledTimestamp, reason: null, ...times };
  const { failures, failingSince, healthySince, reason } = totals;
  if (failures === 0) return { state: 'healthy', since: healthySince, reason: null, ...times };
  return { state: 'failing', since: failingSince, reason, ...times };
};

/** The next attempt is made when a delivery is due, and the pause after the last failure at the origin is over. */
const nextProbe = async ({ readModels, limits }: HealthDeps, endpointId: string, lastFailure: string): Promise<string | null> => {
  const first = { where: { endpointId, state: 'pending' }, orderBy: [{ member: 'nextAttempt', direction: 'asc' }], limit: 1 } as const;
  const [next] = await readModels.find(deliveriesProjection, first).catch(() => []);
  if (!next?.nextAttempt) return null;
  const resumed = isoTime(Date.parse(lastFailure) + limits.webhookHoldS * 1_000);
  return next.nextAttempt > resumed ? next.nextAttempt : resumed;
};
