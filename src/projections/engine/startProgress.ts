import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { paceOf } from './pace.ts';
import type { ProjectionEngine } from './projectionEngine.ts';

export interface StartProgressDeps {
  readonly engine: Pick<ProjectionEngine, 'ready' | 'status'>;
  readonly log: Pick<EventLog, 'length'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const LINE_MILLISECONDS = 10_000;

/** Logs every ten seconds how far the read models are, until they are ready or the signal aborts. Never rejects. */
export const reportStart = async ({ engine, log, clock, logger }: StartProgressDeps, signal: AbortSignal): Promise<void> => {
  const look = async () => ({ ...(await slowest(engine)), at: clock.monotonic() });
  try {
    let before = await look();
    while ((await clock.pause(LINE_MILLISECONDS, signal)) === 'elapsed' && !engine.ready()) {
      const [length, now] = [await log.length(), await look()];
      const { share, read, secondsLeft } = paceOf(length, before, now);
      const fields = {
        readModels: now.readModels,
        events: read?.events ?? null,
        total: length.total,
        percent: Math.floor(share * 100),
        eventsPerSecond: read && Math.round(read.perSecond),
        secondsLeft: secondsLeft === null ? null : Math.ceil(secondsLeft),
      };
      logger.info(fields, 'building read models');
      before = now;
    }
  } catch {
    // The followers of the log say that a store is away.
  }
};

/** The read models that are behind, and the position of the one that is furthest behind. */
const slowest = async (engine: StartProgressDeps['engine']): Promise<{ position: string | null; readModels: string[] }> => {
  const behind = (await engine.status()).filter(({ state }) => state === 'rebuilding' || state === 'catching-up');
  const positions = behind.map(({ position }) => position).sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1));
  return { position: positions[0] ?? null, readModels: behind.map(({ name }) => name) };
};
