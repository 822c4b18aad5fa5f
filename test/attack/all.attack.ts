import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Attack, Target } from './attack.ts';
import * as requests from './attacks/requests.ts';
import * as streams from './attacks/streams.ts';
import { newUser, Rig, type Seen } from './rig.ts';

/** `npm run attack`: each attack against a real server, with watchers beside it, and what is left five seconds later. */
const SECONDS = Number(process.env.ATTACK_SECONDS ?? 10);
/** Times are printed and not judged, because shared machines are noisy. */
const IS_UNTIMED = process.env.ATTACK_UNTIMED === '1';
const NAMES = (process.env.ATTACK_NAMES ?? '').split(',').filter(Boolean);
const ATTACKS: readonly Attack[] = [...Object.values(requests), ...Object.values(streams)].filter(
  ({ name }) => NAMES.length === 0 || NAMES.includes(name),
);

const MOST_MEMORY = 1_024 ** 3;
const [MOST_MILLISECONDS, MOST_P99_MILLISECONDS] = [1_000, 250];
/** Share of its normal speed that the innocent tenant keeps, and has five seconds later. */
const [KEPT_SPEED, SPEED_AFTER] = [1 / 3, 3 / 4];
const [RECOVERY_MILLISECONDS, AFTER_MILLISECONDS] = [5_000, 2_000];

interface Row {
  readonly name: string;
  readonly seen: Seen;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
}

const rows: Row[] = [];
let rig: Rig;
let alone: Seen;

beforeAll(async () => {
  rig = await Rig.start();
  // The first requests compile code, so times are measured after them.
  await wait(3_000);
  alone = await rig.watch(() => wait(SECONDS * 1_000));
  rows.push({ name: '(no attack)', seen: alone, outcomes: new Map(), faults: [] });
}, 120_000);

afterAll(async () => {
  await rig?.stop();
  console.log(tableOf(rows));
});

const uploadsASecond = ({ innocent, seconds }: Seen): number => innocent.uploads / seconds;

const faultsDuring = ({ seen, outcomes }: Pick<Row, 'seen' | 'outcomes'>, { allowed }: Attack): string[] => {
  const { health, memory } = seen;
  const others = [...outcomes.keys()].filter((outcome) => !allowed.map(String).includes(outcome));
  return [
    ...(others.length > 0 ? [`outcomes that no document allows: ${others.join(', ')}`] : []),
    ...(outcomes.size === 0 ? ['the attack had no outcome'] : []),
    ...(health.failures > 0 ? [`/health/live failed ${health.failures} times`] : []),
    ...(memory > MOST_MEMORY ? [`resident memory reached ${mebibytes(memory)} MB`] : []),
    ...(IS_UNTIMED ? [] : slownessOf(seen)),
  ];
};

const slownessOf = (seen: Seen): string[] => {
  const { health } = seen;
  return [
    ...(health.max > MOST_MILLISECONDS ? [`/health/live took ${health.max.toFixed(0)} ms`] : []),
    ...(health.p99 > MOST_P99_MILLISECONDS ? [`/health/live took ${health.p99.toFixed(0)} ms at the 99th percentile`] : []),
    ...(uploadsASecond(seen) < KEPT_SPEED * uploadsASecond(alone) ? ['the innocent tenant kept less than a third of its uploads'] : []),
  ];
};

const faultsAfter = (seen: Seen, lost: readonly string[]): string[] => [
  ...(IS_UNTIMED ? [] : stillSlow(seen)),
  ...(seen.innocent.failures.length > 0 ? [`the innocent tenant was still refused: ${seen.innocent.failures[0]}`] : []),
  ...(lost.length > 0 ? [`${lost.length} acknowledged uploads are lost`] : []),
];

const stillSlow = (seen: Seen): string[] => [
  ...(seen.health.max > MOST_P99_MILLISECONDS ? [`/health/live still took ${seen.health.max.toFixed(0)} ms five seconds later`] : []),
  ...(uploadsASecond(seen) < SPEED_AFTER * uploadsASecond(alone) ? ['the innocent tenant was still slow five seconds later'] : []),
];

test.each(ATTACKS.map((attack) => [attack.name, attack] as const))('repels %s', async (_, attack) => {
  const { url } = rig;
  const over = new AbortController();
  // All requests of an attack listen to its signal.
  setMaxListeners(0, over.signal);
  const outcomes = new Map<string, number>();
  const { key } = attack.by === 'nobody' ? { key: '' } : await newUser(url, attack.name);
  const target: Target = {
    ...{ url, key, signal: over.signal, port: Number(new URL(url).port) },
    headers: key === '' ? {} : { authorization: `Basic ${key}` },
    count: (outcome) => outcomes.set(String(outcome), (outcomes.get(String(outcome)) ?? 0) + 1),
  };
  await attack.prepare?.(target);
  outcomes.clear();
  const seen = await rig.watch(async () => {
    const running = attack.run(target);
    await Promise.race([wait(SECONDS * 1_000), running]);
    over.abort(new Error('the attack is over'));
    await running;
  });
  await attack.end?.();
  await wait(RECOVERY_MILLISECONDS);
  const after = await rig.watch(() => wait(AFTER_MILLISECONDS));
  const faults = [...faultsDuring({ seen, outcomes }, attack), ...faultsAfter(after, await rig.lost())];
  rows.push({ name: attack.name, seen, outcomes, faults });
  expect(faults).toEqual([]);
});

const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0);

const cellsOf = ({ name, seen, outcomes, faults }: Row): string[] => [
  name,
  [...outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', ') || '-',
  `${seen.health.max.toFixed(0)} ms`,
  `${seen.health.p99.toFixed(0)} ms`,
  uploadsASecond(seen).toFixed(1),
  (seen.innocent.lists / seen.seconds).toFixed(1),
  `${mebibytes(seen.memory)} MB`,
  faults.length === 0 ? 'ok' : 'FAILED',
];

/** The rows as a text table. */
const tableOf = (all: readonly Row[]): string => {
  const lines = [['attack', 'outcomes', '/health/live max', 'p99', 'uploads/s', 'lists/s', 'memory', 'verdict'], ...all.map(cellsOf)];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return ['', ...text, ''].join('\n');
};
