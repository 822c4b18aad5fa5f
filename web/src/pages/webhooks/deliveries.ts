export interface Attempt {
  readonly attempt: number;
  readonly at: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly outcome: 'delivered' | 'failed' | 'refused' | 'exhausted';
  readonly reason: string | null;
  readonly response: string | null;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly type: string;
  /** The stream or group of the event; both `null` for a ping. */
  readonly streamId: string | null;
  readonly groupId: string | null;
  readonly sequence: number | null;
  readonly state: 'pending' | 'delivered' | 'failed' | 'refused' | 'exhausted';
  readonly nextAttempt: string | null;
  readonly deadline: string;
  readonly attempts: readonly Attempt[];
}

export type HealthState = 'disabled' | 'failing' | 'healthy' | 'unused';

/** How deliveries to an endpoint go, judged by its newest 50. Times are ISO 8601. */
export interface EndpointHealth {
  readonly state: HealthState;
  /** Time of the first failed attempt since the last success; `null` unless failing. */
  readonly failingSince: string | null;
  readonly lastSuccess: string | null;
}

export const healthOf = (enabled: boolean, deliveries: readonly Delivery[]): EndpointHealth => {
  const attempts = deliveries.flatMap((delivery) => delivery.attempts).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const last = attempts.findLastIndex(({ outcome }) => outcome === 'delivered');
  const failed = attempts.slice(last + 1);
  const lastSuccess = attempts[last]?.at ?? null;
  const failingSince = failed[0]?.at ?? null;
  if (!enabled) return { state: 'disabled', failingSince, lastSuccess };
  if (failingSince !== null) return { state: 'failing', failingSince, lastSuccess };
  return { state: lastSuccess === null ? 'unused' : 'healthy', failingSince, lastSuccess };
};
