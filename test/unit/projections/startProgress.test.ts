import { expect, it } from 'vitest';
import type { Logger } from '../../../src/logger.ts';
import { silentLogger } from '../../../src/logger.ts';
import { reportStart } from '../../../src/projections/engine/startProgress.ts';
import type { ProjectionStatus } from '../../../src/projections/projection.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import { ManualClock } from '../../manualClock.ts';

const at = (position: number): Position => String(position).padStart(20, '0') as Position;

/** A log of 1,000 events, and read models of which `streams` is built at 20 events per second. */
const building = () => {
  const clock = new ManualClock();
  const began = clock.monotonic();
  const lines: object[] = [];
  const logger: Logger = { ...silentLogger, info: (fields: object, message: string) => void lines.push({ message, ...fields }) };
  const handled = () => Math.min(1_000, ((clock.monotonic() - began) / 1_000) * 20);
  const row = (name: string, position: number, state: ProjectionStatus['state']): ProjectionStatus => ({
    ...{ name, version: 1, head: at(1_000), lagEvents: 1_000 - position, lagSeconds: 0, rate: 20, error: null },
    position: at(position),
    state,
  });
  const engine = {
    ready: () => handled() === 1_000,
    status: async () => [row('streams', handled(), 'rebuilding'), row('groups', 900, 'catching-up'), row('usage', 1_000, 'live')],
  };
  return { clock, lines, deps: { engine, clock, logger } };
};

it('logs every ten seconds of a long start the share, the rate and the time left', async () => {
  const { clock, lines, deps } = building();
  const reporting = reportStart(deps, new AbortController().signal);
  await clock.advance(20_000);
  expect(lines).toEqual([
    {
      message: 'building read models',
      readModels: ['streams', 'groups'],
      percent: 20,
      eventsLeft: 800,
      eventsPerSecond: 20,
      secondsLeft: 40,
    },
    {
      message: 'building read models',
      readModels: ['streams', 'groups'],
      percent: 40,
      eventsLeft: 600,
      eventsPerSecond: 20,
      secondsLeft: 30,
    },
  ]);
  await clock.advance(60_000);
  await reporting;
  expect(lines).toHaveLength(4);
});

it('logs nothing for a short start', async () => {
  const { clock, lines, deps } = building();
  const reporting = reportStart({ ...deps, engine: { ...deps.engine, ready: () => true } }, new AbortController().signal);
  await clock.advance(20_000);
  await reporting;
  expect(lines).toEqual([]);
});

it('stops when its signal aborts', async () => {
  const { deps } = building();
  const ending = new AbortController();
  const reporting = reportStart(deps, ending.signal);
  ending.abort();
  await expect(reporting).resolves.toBeUndefined();
});
