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

/** The health of an endpoint, as the server computes it from the attempts. Times are ISO 8601. */
export interface EndpointHealth {
  readonly state: 'healthy' | 'failing' | 'held' | 'disabled' | 'unknown';
  readonly since: string | null;
  readonly lastSuccess: string | null;
  readonly lastFailure: string | null;
  readonly reason: string | null;
  /** When a held endpoint gets its next attempt. */
  readonly nextProbe: string | null;
}

/** The last attempts failed. */
export const isFailing = ({ state }: EndpointHealth): boolean => state === 'failing' || state === 'held';
