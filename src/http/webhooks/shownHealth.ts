import { type Clock, DAY_MILLISECONDS, isoTime } from '../../clock.ts';
import type { Endpoint } from '../../domain/webhookEndpoints/state.ts';
import type { Limits } from '../../limits.ts';
import { deliveriesProjection } from '../../projections/deliveries.ts';
import { type EndpointCondition, type EndpointDocument, endpointsProjection } from '../../projections/endpoints.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { HEALTH_STATES } from '../streams/streamSchemas.ts';

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
  readonly readModels: Pick<ReadModels, 'find' | 'getMany'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<Limits, 'webhookHoldFailures' | 'webhookHoldS'>;
}

/** The log keeps attempts this long. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** Conditions of the documents that may have a health. Old attempts are forgotten without an event: then it is unknown. */
export const conditionsOf = (state: HealthState): EndpointCondition[] => {
  if (state === 'unknown') return ['unknown', 'healthy', 'failing'];
  return [state === 'held' ? 'failing' : state];
};

/** The documents that have the health of endpoints. */
export const documentsOf = async ({ readModels }: HealthDeps, endpoints: readonly Endpoint[]): Promise<EndpointDocument[]> => {
  const ids = endpoints.map(({ endpointId }) => endpointId);
  return ids.length === 0 ? [] : readModels.getMany(endpointsProjection, ids);
};

/** Health by endpoint id. Endpoints without a document are `unknown`. */
export const healthOfAll = async (
  deps: HealthDeps,
  endpoints: readonly Endpoint[],
  documents: readonly EndpointDocument[],
): Promise<ReadonlyMap<string, EndpointHealth>> => {
  const known = new Map(documents.map((document) => [document.endpointId, document]));
  const all = endpoints.map(
    async (endpoint) => [endpoint.endpointId, await healthOf(deps, endpoint, known.get(endpoint.endpointId))] as const,
  );
  return new Map(await Promise.all(all));
};

/** `endpoint` may be newer than its document. */
const healthOf = async (deps: HealthDeps, endpoint: Endpoint, document: EndpointDocument | undefined): Promise<EndpointHealth> => {
  const { enabled, url, enabledTimestamp, disabledReason, disabledTimestamp } = endpoint;
  const totals = document?.url === url && document.enabledTimestamp === enabledTimestamp ? document.totals : null;
  const kept = isoTime(deps.clock.now() - KEPT_MILLISECONDS);
  const ifKept = (time: string | null | undefined) => (time && time >= kept ? time : null);
  const [lastSuccess, lastFailure] = [ifKept(totals?.lastSuccess), ifKept(totals?.lastFailure)];
  const times = { lastSuccess, lastFailure, nextProbe: null };
  if (!enabled) return { state: 'disabled', since: disabledTimestamp, reason: disabledReason, ...times };
  if (!totals || (lastSuccess === null && lastFailure === null))
    return { state: 'unknown', since: enabledTimestamp, reason: null, ...times };
  const { failures, failingSince, healthySince, reason } = totals;
  if (failures === 0) return { state: 'healthy', since: healthySince, reason: null, ...times };
  const failing = { since: failingSince, reason, ...times };
  if (failures < deps.limits.webhookHoldFailures) return { state: 'failing', ...failing };
  return { state: 'held', ...failing, nextProbe: await nextProbe(deps, endpoint.endpointId, lastFailure) };
};

/** The next attempt is made when a delivery is due, and the pause after the last failure is over. */
const nextProbe = async ({ readModels, limits }: HealthDeps, endpointId: string, lastFailure: string | null): Promise<string | null> => {
  const first = { where: { endpointId, state: 'pending' }, orderBy: [{ member: 'nextAttempt', direction: 'asc' }], limit: 1 } as const;
  const [next] = await readModels.find(deliveriesProjection, first).catch(() => []);
  if (!next?.nextAttempt) return null;
  const resumed = lastFailure === null ? '' : isoTime(Date.parse(lastFailure) + limits.webhookHoldS * 1_000);
  return next.nextAttempt > resumed ? next.nextAttempt : resumed;
};
