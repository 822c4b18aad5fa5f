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

/**
 * How the newest deliveries to an endpoint went. When the server disables an endpoint is its own matter: resends that fail count here, but not there,
 * since the API does not mark them. Times are ISO 8601.
 */
export interface RecentHealth {
  readonly state: HealthState;
  /** Time of the first failed attempt since the last success; `null` unless failing, or if it is older than the deliveries read. */
  readonly failingSince: string | null;
  readonly lastSuccess: string | null;
}

/** Reasons of attempts that could not be prepared, so that nothing was sent. `src/delivery/retryRules.ts` and `send/attempt.ts` there have the same words. */
const NOT_SENT: ReadonlySet<string | null> = new Set([
  'event not readable',
  'webhook cannot be built',
  'store unavailable',
  'newer version needed',
]);

/** A ping that fails is a test, and an attempt that could not be prepared says nothing about the endpoint. */
const attemptsWithMeaning = ({ type, attempts }: Delivery): readonly Attempt[] =>
  attempts.filter(({ outcome, reason }) => outcome === 'delivered' || (type !== 'ping' && !NOT_SENT.has(reason)));

/** Whether these deliveries include a success. */
export const hasSuccess = (deliveries: readonly Delivery[]): boolean =>
  deliveries.some(({ attempts }) => attempts.some(({ outcome }) => outcome === 'delivered'));

/**
 * `newest`: the newest deliveries. `older`: if those include no success but others exist, the newest delivered one, or `[]` if there
 * is none; `null` if the newest suffice.
 */
export const recentHealthOf = (enabled: boolean, newest: readonly Delivery[], older: readonly Delivery[] | null = null): RecentHealth => {
  const attempts = [...newest, ...(older ?? [])].flatMap(attemptsWithMeaning).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const last = attempts.findLastIndex(({ outcome }) => outcome === 'delivered');
  const firstFailure = attempts[last + 1]?.at ?? null;
  const lastSuccess = attempts[last]?.at ?? null;
  const failingSince = older === null ? firstFailure : null;
  if (!enabled) return { state: 'disabled', failingSince, lastSuccess };
  if (firstFailure !== null) return { state: 'failing', failingSince, lastSuccess };
  return { state: lastSuccess === null ? 'unused' : 'healthy', failingSince, lastSuccess };
};
