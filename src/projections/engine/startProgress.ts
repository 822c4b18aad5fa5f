import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { shareOf } from '../../stores/log/logShare.ts';
import { every } from '../../supervision/every.ts';
import type { ProjectionStatus } from '../projection.ts';
import type { ProjectionEngine } from './projectionEngine.ts';

export interface StartProgressDeps {
  readonly engine: Pick<ProjectionEngine, 'ready' | 'status'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Progress of a read model that is being built. The seconds are an estimate, `null` without progress. */
export const progressOf = ({ position, head, lagEvents, rate }: ProjectionStatus) => ({
  percent: Math.floor((shareOf(null, position, head) ?? 0) * 100),
  eventsLeft: lagEvents,
  eventsPerSecond: Math.round(rate),
  secondsLeft: rate > 0 ? Math.ceil(lagEvents / rate) : null,
});

const LINE_MILLISECONDS = 10_000;

/** Logs every ten seconds how far the read models are, until they are ready or the signal aborts. Never rejects. */
export const reportStart = async ({ engine, clock, logger }: StartProgressDeps, signal: AbortSignal): Promise<void> => {
  const over = new AbortController();
  const tell = async (): Promise<void> => {
    if (engine.ready()) return over.abort();
    const behind = (await engine.status()).filter(({ state }) => state === 'rebuilding' || state === 'catching-up');
    const [slowest] = behind.sort((a, b) => b.lagEvents - a.lagEvents);
    if (slowest) logger.info({ readModels: behind.map(({ name }) => name), ...progressOf(slowest) }, 'building read models');
  };
  await every(tell, { clock, milliseconds: LINE_MILLISECONDS, signal: AbortSignal.any([signal, over.signal]) });
};
