import type { Clock } from '../../clock.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { every } from '../../supervision/every.ts';
import type { BuildUpdater } from './buildUpdater.ts';
import { type Pace, paceOf } from './pace.ts';

export interface RebuildProgress extends Pace {
  readonly name: string;
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
  readonly log: Pick<EventLog, 'length'>;
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
  const began = { position: null, at: clock.monotonic() };
  const length = await log.length().catch(() => null);
  if (!length) return;
  const { name } = updater.projection;
  const tell = () => onProgress({ name, ...paceOf(length, began, { position: updater.handled, at: clock.monotonic() }) });
  await every(async () => tell(), { clock, milliseconds: TELL_MILLISECONDS, signal });
  // The final state.
  tell();
};
