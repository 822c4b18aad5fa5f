import type { Clock } from '../../clock.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { every } from '../../supervision/every.ts';
import type { BuildUpdater } from './buildUpdater.ts';

export interface RebuildProgress {
  readonly name: string;
  /** Of the log's events, 0 to 1; `null` until they are counted. */
  readonly share: number | null;
  /** Events read so far, of every type, and their pace; `null` until they are counted. */
  readonly read: { readonly events: number; readonly perSecond: number } | null;
  /** An estimate; `null` until the log's events are counted. */
  readonly secondsLeft: number | null;
}

export interface RebuildOptions {
  readonly signal?: AbortSignal;
  /** Called when the new collection exists and the rebuild can no longer be refused. */
  readonly onBegun?: () => void;
  /** Called for each projection twice a second and once at the end. */
  readonly onProgress?: (progress: RebuildProgress) => void;
}

export interface ProgressDeps {
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'head' | 'measure'>;
}

const TELL_MILLISECONDS = 500;

/** Does the work, and reports its progress twice a second and once at the end. */
export const reported = async (
  deps: ProgressDeps,
  updater: BuildUpdater,
  onProgress: RebuildOptions['onProgress'],
  work: () => Promise<void>,
): Promise<void> => {
  const over = new AbortController();
  const reporting = onProgress ? report(deps, updater, onProgress, over.signal) : Promise.resolve();
  try {
    await work();
  } finally {
    over.abort();
    await reporting;
  }
};

const report = async (
  { clock, log }: ProgressDeps,
  updater: BuildUpdater,
  onProgress: NonNullable<RebuildOptions['onProgress']>,
  signal: AbortSignal,
): Promise<void> => {
  const began = clock.monotonic();
  const head = await log.head().catch(() => null);
  const length = log.measure(head, signal);
  const tell = () => {
    const events = length.eventsUpTo(updater.handled);
    const perSecond = events === null ? 0 : events / Math.max(0.001, (clock.monotonic() - began) / 1_000);
    const secondsLeft = events === null || length.total === null || perSecond === 0 ? null : Math.max(0, length.total - events) / perSecond;
    const read = events === null ? null : { events, perSecond };
    onProgress({ name: updater.projection.name, share: length.share(updater.handled), read, secondsLeft });
  };
  await every(async () => tell(), { clock, milliseconds: TELL_MILLISECONDS, signal });
  // The final state.
  tell();
};
