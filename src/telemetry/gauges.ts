import type { Clock } from '../clock.ts';
import type { DispatcherLoad } from '../delivery/queue/dispatcher.ts';
import type { ProjectionEngine } from '../projections/engine/projectionEngine.ts';
import type { ProjectionState } from '../projections/projection.ts';
import type { ConsumerProgress } from '../stores/consumers/consumer.ts';
import type { DiskSpace } from '../stores/diskSpace.ts';
import type { Leases } from '../stores/leases/leases.ts';
import type { LiveReaders } from '../stores/leases/liveReaders.ts';
import { fresh } from '../supervision/fresh.ts';
import type { Metrics, Reading } from './metrics.ts';

export interface GaugeDeps {
  readonly engine: Pick<ProjectionEngine, 'status'>;
  readonly leases: Leases;
  readonly liveReaders: LiveReaders;
  readonly disk: DiskSpace;
  readonly damage: { readonly count: number };
  readonly runningStreams: { readonly total: { readonly held: number; readonly limit: number } | null };
  readonly clock: Clock;
}

/** Shortest interval between readings, which several gauges share. Measuring lag reads the log, so it must not happen more often. */
const FRESH_MILLISECONDS = 2_000;

const STATES: readonly ProjectionState[] = ['catching-up', 'live', 'stopped', 'rebuilding'];

/** Progress of the read models. Read at every scrape; costs 20 events for each read model behind the head. */
export const projectionGauges = (metrics: Metrics, { engine, clock }: GaugeDeps): void => {
  const status = fresh(clock, FRESH_MILLISECONDS, () => engine.status());
  const labels = ['projection', 'version'];
  const each = async (value: (row: Awaited<ReturnType<typeof status>>[number]) => number): Promise<Reading> =>
    (await status()).map((row) => [[row.name, String(row.version)], value(row)]);
  metrics.gauge({ name: 'projection_lag_events', help: 'Events that a read model is behind the log; an estimate beyond 20.', labels }, () =>
    each(({ lagEvents }) => lagEvents),
  );
  metrics.gauge({ name: 'projection_lag_seconds', help: 'Age of the oldest event that a read model does not show.', labels }, () =>
    each(({ lagSeconds }) => lagSeconds),
  );
  metrics.gauge({ name: 'projection_events_per_second', help: 'Events handled per second, over the last ten seconds.', labels }, () =>
    each(({ rate }) => rate),
  );
  metrics.gauge({ name: 'projection_state', help: '1 for the state that a read model is in.', labels: [...labels, 'state'] }, async () =>
    (await status()).flatMap(({ name, version, state }) =>
      STATES.map((one) => [[name, String(version), one], one === state ? 1 : 0] as const),
    ),
  );
};

/** Policies and processors that follow the log on this node. Their backlog is not counted, since that would cost a search of the log. */
export const consumerMetrics = (metrics: Metrics, progress: ReadonlyMap<string, ConsumerProgress>, clock: Clock): void => {
  const each = (value: (progress: ConsumerProgress) => number): Reading => [...progress].map(([name, one]) => [[name], value(one)]);
  metrics.gauge(
    { name: 'consumer_lag_seconds', help: 'Age of the oldest event that a consumer has read and not handled.', labels: ['consumer'] },
    () => each(({ oldest }) => (oldest === null ? 0 : Math.max(0, (clock.now() - Date.parse(oldest)) / 1_000))),
  );
  metrics.counterOf({ name: 'consumer_events', help: 'Events that a consumer has handled.', labels: ['consumer'] }, () =>
    each(({ handled }) => handled),
  );
  metrics.counterOf({ name: 'consumer_failures', help: 'Times that a consumer failed and retried.', labels: ['consumer'] }, () =>
    each(({ failures }) => failures),
  );
};

export const deliveryGauges = (metrics: Metrics, load: () => DispatcherLoad): void => {
  metrics.gauge(
    {
      name: 'deliveries_pending',
      help: 'Pending webhook deliveries of this node: due, due later (scheduled), or in flight.',
      labels: ['state'],
    },
    () => {
      const { due, scheduled, inFlight } = load();
      return [
        [['due'], due],
        [['scheduled'], scheduled],
        [['in_flight'], inFlight],
      ];
    },
  );
  metrics.gauge(
    { name: 'delivery_attempts_slow', help: 'Attempts in flight that have waited for an answer for more than a second.' },
    () => load().slow,
  );
  metrics.gauge(
    { name: 'delivery_windows_open', help: "Owners' origins that have deliveries due or in flight." },
    () => load().destinations,
  );
};

export const nodeGauges = (
  metrics: Metrics,
  { leases, liveReaders, disk, damage, runningStreams }: GaugeDeps,
  {
    version,
    roles,
    stores,
  }: { version: string; roles: readonly string[]; stores: () => Promise<readonly { name: string; ok: boolean }[]> },
): void => {
  metrics.gauge({ name: 'build_info', help: 'Always 1; the version that runs.', labels: ['version'] }, () => [[[version], 1]]);
  metrics.gauge({ name: 'node_role', help: '1 for each role of this node.', labels: ['role'] }, () => roles.map((role) => [[role], 1]));
  metrics.gauge({ name: 'leases_held', help: 'Leases that this node holds, by kind.', labels: ['kind'] }, () => {
    const kinds = new Map<string, number>();
    for (const name of leases.held()) {
      const kind = name.split('/')[0] ?? '';
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    return [...kinds].map(([kind, held]) => [[kind], held]);
  });
  metrics.gauge({ name: 'disk_low', help: '1 while uploads are refused because the disk is nearly full.' }, () =>
    disk.shortage() === null ? 0 : 1,
  );
  metrics.gauge({ name: 'event_streams_damaged', help: 'Event streams that this node has found damaged or hidden.' }, () => damage.count);
  if (runningStreams.total) {
    metrics.gauge(
      { name: 'streams_running', help: 'Streams that run or wait for their processors.' },
      () => runningStreams.total?.held ?? 0,
    );
    metrics.gauge(
      { name: 'streams_running_limit', help: 'MAX_RUNNING_STREAMS: uploads and reruns get 503 at it.' },
      () => runningStreams.total?.limit ?? 0,
    );
  }
  metrics.gauge({ name: 'live_readers', help: 'Readers that follow the results of a stream on this node.' }, () => liveReaders.count());
  metrics.gauge({ name: 'store_up', help: '1 when the store answers, else 0.', labels: ['store'] }, async () =>
    (await stores()).map(({ name, ok }) => [[name], ok ? 1 : 0]),
  );
};
