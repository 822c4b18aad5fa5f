import { call } from '../e2e/client.ts';

/** One sample of the metrics of a server's process, under their names. */
export interface Sample {
  /** Minutes since the soak began. */
  readonly minute: number;
  /** MiB. */
  readonly resident: number;
  /** MiB of JavaScript, collected or not yet. */
  readonly heap: number;
  readonly openFiles: number;
  /** Event-loop delay, milliseconds, 99th percentile since the last look. */
  readonly delay: number;
  /** Lag of the slowest projection, in events. */
  readonly lag: number;
  /** Pending webhooks: due, in flight, and retries. 0 for a process that sends none. */
  readonly webhooks: number;
  readonly eventsAppended: number;
}

export const sample = async (url: string, minute: number): Promise<Sample> => {
  const { text } = await call(url, '/metrics');
  const values = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
  const most = (name: string) => Math.max(0, ...values(name));
  return {
    minute,
    resident: most('process_resident_memory_bytes') / 2 ** 20,
    heap: most('nodejs_heap_size_used_bytes') / 2 ** 20,
    openFiles: most('process_open_fds'),
    delay: most('nodejs_eventloop_lag_p99_seconds') * 1_000,
    lag: most('tributary_projection_lag_events'),
    webhooks: values('tributary_deliveries_pending').reduce((sum, value) => sum + value, 0),
    eventsAppended: most('tributary_events_appended_total'),
  };
};

/** Least squares: growth of a value per minute. */
export const slope = (samples: readonly Sample[], of: (sample: Sample) => number): number => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ minute }) => minute)), mean(samples.map(of))];
  const covariance = mean(samples.map((one) => (one.minute - x) * (of(one) - y)));
  return covariance / mean(samples.map(({ minute }) => (minute - x) ** 2));
};
