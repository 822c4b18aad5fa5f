import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { LogLength } from '../../stores/log/logLength.ts';
import type { ProjectionEngine } from './projectionEngine.ts';

export interface StartProgressDeps {
  readonly engine: Pick<ProjectionEngine, 'ready' | 'status'>;
  readonly log: Pick<EventLog, 'head' | 'measure'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const LINE_MILLISECONDS = 10_000;
/** Long starts only: on some stores, the number of events is estimated from seals and samples. */
const COUNT_AFTER_MILLISECONDS = 5_000;

interface Seen {
  readonly position: string | null;
  readonly at: number;
}

/** Logs every ten seconds how far the read models are, until they are ready or the signal aborts. Never rejects. */
export const reportStart = async (deps: StartProgressDeps, signal: AbortSignal): Promise<void> => {
  const { engine, log, clock } = deps;
  const over = new AbortController();
  const goesOn = async (milliseconds: number) => (await clock.pause(milliseconds, signal)) === 'elapsed' && !engine.ready();
  try {
    let before: Seen = { position: (await slowest(engine)).position, at: clock.monotonic() };
    if (!(await goesOn(COUNT_AFTER_MILLISECONDS))) return;
    const length = log.measure(await log.head(), AbortSignal.any([signal, over.signal]));
    for (let pause = LINE_MILLISECONDS - COUNT_AFTER_MILLISECONDS; await goesOn(pause); pause = LINE_MILLISECONDS) {
      before = await line(deps, length, before);
    }
  } catch {
    // The followers of the log say that a store is away.
  } finally {
    over.abort();
  }
};

const line = async ({ engine, clock, logger }: StartProgressDeps, length: LogLength, before: Seen): Promise<Seen> => {
  const { position, readModels } = await slowest(engine);
  const at = clock.monotonic();
  const [from, events] = [length.eventsUpTo(before.position), length.eventsUpTo(position)];
  const eventsPerSecond = from === null || events === null ? null : Math.round(((events - from) * 1_000) / (at - before.at));
  const left = length.total === null || events === null ? null : Math.max(0, length.total - events);
  const share = length.share(position);
  const fields = {
    readModels,
    events,
    total: length.total,
    percent: share === null ? null : Math.floor(share * 100),
    eventsPerSecond,
    secondsLeft: left !== null && eventsPerSecond ? Math.ceil(left / eventsPerSecond) : null,
  };
  logger.info(fields, 'building read models');
  return { position, at };
};

/** The read models that are behind, and the position of the one that is furthest behind. */
const slowest = async (engine: StartProgressDeps['engine']): Promise<{ position: string | null; readModels: string[] }> => {
  const behind = (await engine.status()).filter(({ state }) => state === 'rebuilding' || state === 'catching-up');
  const positions = behind.map(({ position }) => position).sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1));
  return { position: positions[0] ?? null, readModels: behind.map(({ name }) => name) };
};
