import { setMaxListeners } from 'node:events';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { smallDisk } from '../smallDisk.ts';
import type { Attack, Target } from './attack.ts';
import { ATTACKS, SHARED, TOGETHER } from './attacks.ts';
import { newUser, Rig, type Seen } from './rig.ts';
import { type Row, tableOf } from './table.ts';

/**
 * `npm run attack`: each attack against a real server, with watchers beside it. The short form fails only on statuses, counts, bytes and memory;
 * the full form, meant for an idle machine, also on times.
 */
const SHORT = process.env.ATTACK_SHORT === '1';
const SECONDS = Number(process.env.ATTACK_SECONDS ?? (SHORT ? 3 : 10));
const NAMES = (process.env.ATTACK_NAMES ?? '').split(',').filter(Boolean);
const CHOSEN = NAMES.length === 0 ? ATTACKS : ATTACKS.filter(({ name }) => NAMES.includes(name));
const sharesServer = (attack: Attack): boolean => SHARED.includes(attack) && !attack.environment;
const ALL_TOGETHER = 'all-together';

const MOST_MEMORY = 600 * 1_048_576;
const MOST_MILLISECONDS = 100;
/** Share of its normal speed that the innocent tenant keeps. */
const KEPT_SPEED = 0.5;

/** Milliseconds. */
const [WAIT, MOST_WAIT] = [100, 60_000];
/** Settings of the innocent tenant. */
const WORK = ['uploads', 'reads', 'webhooks'] as const;
const NO_OUTCOMES: ReadonlyMap<string, number> = new Map();
const rows: Row[] = [];
let shared: Rig;
let alone: Seen;

beforeAll(async () => {
  shared = await warm(Rig.start());
  alone = await shared.watch(() => wait(SECONDS * 1_000));
  rows.push({ attack: '(no attack)', by: '', seen: alone, outcomes: NO_OUTCOMES, faults: [] });
}, 120_000);

afterAll(async () => {
  await shared?.stop();
  console.log(tableOf(rows));
});

/** The first requests compile code, so times are measured after them. */
const warm = async (started: Promise<Rig>): Promise<Rig> => {
  const rig = await started;
  await wait(2_000);
  return rig;
};

const targetOf = async (
  { url, dataDir }: Rig,
  { name, by }: Attack,
  signal: AbortSignal,
  outcomes: Map<string, number>,
): Promise<Target> => {
  const { key, subject } = by === 'nobody' ? { key: '', subject: '' } : await newUser(url, name, by === 'an auditor' ? 'auditor' : 'user');
  return {
    ...{ url, dataDir, key, subject, signal },
    port: Number(new URL(url).port),
    headers: key === '' ? {} : { authorization: `Basic ${key}` },
    short: SHORT,
    count: (outcome) => outcomes.set(String(outcome), (outcomes.get(String(outcome)) ?? 0) + 1),
  };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 12).join(' ');

/** Faults that no load excuses. */
const graveFaultsOf = ({ health, memory }: Seen): string[] => [
  ...(health.failures > 0 ? [`/health/live failed ${health.failures} times`] : []),
  ...(memory > MOST_MEMORY ? [`resident memory reached ${Math.round(memory / 1_048_576)} MB, more than 600 MB`] : []),
];

/** Faults in the watchers' figures during one attack. */
const faultsOf = (seen: Seen): string[] => {
  const { health, innocent, seconds } = seen;
  const faults = graveFaultsOf(seen);
  const { failures } = innocent;
  if (failures.length > 0) faults.push(`the innocent tenant was refused ${failures.length} times: ${failures[0]}`);
  for (const what of WORK) if (innocent[what] === 0) faults.push(`the innocent tenant had no ${what} at all`);
  if (SHORT) return faults;
  if (health.max > MOST_MILLISECONDS) faults.push(`/health/live took ${health.max.toFixed(0)} ms, more than ${MOST_MILLISECONDS} ms`);
  for (const what of WORK)
    if (innocent[what] / seconds < (KEPT_SPEED * alone.innocent[what]) / alone.seconds)
      faults.push(`the innocent tenant kept less than half of its ${what}`);
  return faults;
};

/** A busy machine may take longer for the first outcome of each attack. */
const allHaveOutcomes = async (attacks: readonly Attack[], outcomes: readonly ReadonlyMap<string, number>[]): Promise<void> => {
  const hasOutcome = ({ until }: Attack, n: number) =>
    until === undefined ? outcomes[n]?.size !== 0 : until.some((outcome) => outcomes[n]?.has(outcome));
  for (let waited = 0; waited < MOST_WAIT && !attacks.every(hasOutcome); waited += WAIT) await wait(WAIT);
};

interface Attacked {
  readonly seen: Seen;
  /** Of each attack. */
  readonly outcomes: readonly ReadonlyMap<string, number>[];
  /** What the attacks themselves found wrong. */
  readonly faults: readonly string[];
}

const attackWith = async (attacked: Rig, attacks: readonly Attack[]): Promise<Attacked> => {
  const outcomes = attacks.map(() => new Map<string, number>());
  const overs = attacks.map(() => new AbortController());
  // All requests of an attack listen to its signal, and Node takes more than ten listeners for a leak.
  setMaxListeners(0, ...overs.map(({ signal }) => signal));
  const targets = await Promise.all(
    attacks.map((attack, n) => targetOf(attacked, attack, overs[n]?.signal ?? AbortSignal.abort(), outcomes[n] ?? new Map())),
  );
  const faults: string[] = [];
  const each = (work: (attack: Attack, target: Target, index: number) => Promise<void> | void): Promise<unknown> =>
    Promise.all(
      attacks.map(async (attack, index) => {
        const target = targets[index];
        if (target)
          await Promise.resolve(work(attack, target, index)).catch((error: unknown) => faults.push(`${attack.name}: ${messageOf(error)}`));
      }),
    );
  await each((attack, target) => attack.prepare?.(target));
  const seen = await attacked.watch(async () => {
    const ending = wait(SECONDS * 1_000)
      .then(() => allHaveOutcomes(attacks, outcomes))
      .then(() => {
        for (const over of overs) over.abort(new Error('the attack is over'));
      });
    await each((attack, target) => attack.run(target));
    await ending;
  });
  await each(async (attack, target, index) => attack.check?.({ target, outcomes: outcomes[index] ?? NO_OUTCOMES }));
  return { seen, outcomes, faults };
};

const repelled = async (attacked: Rig, attack: Attack): Promise<Row> => {
  const { seen, outcomes, faults } = await attackWith(attacked, [attack]);
  return {
    attack: attack.name,
    by: attack.by,
    seen,
    outcomes: outcomes[0] ?? NO_OUTCOMES,
    faults: [...faults, ...faultsOf(seen)],
  };
};

/** All at once are more than the machine can do, and some requests are refused for it: only memory and the server's life are judged. */
const survived = async (attacked: Rig): Promise<Row> => {
  const { seen, faults } = await attackWith(attacked, SHORT ? SHARED : TOGETHER);
  for (const fault of faults) console.log(`all-together (not judged): ${fault}`);
  return { attack: ALL_TOGETHER, by: '', seen, outcomes: NO_OUTCOMES, faults: graveFaultsOf(seen) };
};

const judge = (row: Row): void => {
  rows.push(row);
  expect(row.faults).toEqual([]);
};

const ownRig = ({ environment, disk }: Attack): Promise<Rig> => {
  if (!disk) return Rig.start(environment);
  const directory = smallDisk(disk.mebibytes)?.directory ?? tmpdir();
  const { bavail, bsize } = statfsSync(directory);
  return Rig.start({ ...environment, ...disk.settings(bavail * bsize) }, directory);
};

const named = (attacks: readonly Attack[]): [string, Attack][] => attacks.map((attack) => [attack.name, attack]);

test.each(named(CHOSEN.filter(sharesServer)))('repels %s', async (_, attack) => judge(await repelled(shared, attack)));

describe('with a server of their own', () => {
  // The shared server and its watchers take half a core.
  beforeAll(() => shared.stop(), 120_000);

  // These take much memory, or need settings: a server of its own shows how much one of them takes.
  test.each(named(CHOSEN.filter((attack) => !sharesServer(attack))))('repels %s', async (_, attack) => {
    // The short form does not judge times.
    const own = await (SHORT ? ownRig(attack) : warm(ownRig(attack)));
    try {
      judge(await repelled(own, attack));
    } finally {
      await own.stop();
    }
  });

  test.skipIf(NAMES.length > 0 && !NAMES.includes(ALL_TOGETHER))('stays within its memory under many attacks together', async () => {
    const own = await Rig.start();
    try {
      judge(await survived(own));
    } finally {
      await own.stop();
    }
  });
});
