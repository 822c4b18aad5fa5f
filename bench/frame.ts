import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** Two ways to do the same work. Each call runs one round and returns its rate: more is better. */
export interface Contest {
  /** Such as `events/s`. */
  readonly unit: string;
  readonly ours: () => Promise<number>;
  readonly baseline: () => Promise<number>;
  /** Default 7, at least 5. */
  readonly rounds?: number;
  /** Uncounted rounds before these, for V8 to compile both sides. Default 1. */
  readonly warmUps?: number;
  /** A single round without a warm-up, for work that is long or has its own. */
  readonly once?: boolean;
  /** Default: the bench's bar. `null`: measured without a bar. */
  readonly bar?: number | null;
  /** Further figures of the case, such as a latency, taken after the last round. */
  readonly notes?: () => Readonly<Record<string, number | string>>;
}

/** Runs the rounds of a contest, ours and the baseline in turn, and records the result under a label. */
export type Compare = (label: string, contest: Contest) => Promise<void>;

export interface BenchOptions {
  /** Run at the size that the project's bars name; otherwise small enough to end within about a minute. */
  readonly full: boolean;
  /** Run only the cases that take most of an hour; `speech` has one. */
  readonly long: boolean;
}

export interface Bench {
  /** Its name for `npm run bench -- <name>`. */
  readonly name: string;
  /** Least ratio of ours to the baseline; `null` without a bar. */
  readonly bar: number | null;
  /** Sets up, compares, and cleans up after itself. */
  readonly run: (compare: Compare, options: BenchOptions) => Promise<void>;
}

export const defineBench = (bench: Bench): Bench => bench;

interface Result {
  readonly bench: string;
  readonly label: string;
  readonly unit: string;
  readonly rounds: number;
  /** Medians. */
  readonly ours: number;
  readonly baseline: number;
  /** Of the medians. */
  readonly ratio: number;
  readonly bar: number | null;
  readonly met: boolean | null;
  /** The machine's load average over the last minute, at the end. The platform and the baseline load it themselves by 1 to 3. */
  readonly load: number;
  readonly notes: Readonly<Record<string, number | string>>;
}

/** The value below which `share` (0 to 1) of the values lie; NaN without values. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = sorted.slice(middle - 1 + (sorted.length % 2), middle + 1);
  return sorted.length % 2 === 1 ? low : (low + high) / 2;
};

const compareInto =
  (results: Result[], bench: Bench): Compare =>
  async (label, { unit, ours, baseline, once = false, rounds = once ? 1 : 7, warmUps = once ? 0 : 1, bar = bench.bar, notes }) => {
    if (!once && rounds < 5) throw new RangeError('A median is of at least 5 rounds.');
    const rates: { ours: number[]; baseline: number[] } = { ours: [], baseline: [] };
    for (let round = 1 - warmUps; round <= rounds; round += 1) {
      const [a, b] = [await ours(), await baseline()];
      if (round < 1) continue;
      rates.ours.push(a);
      rates.baseline.push(b);
    }
    const [a, b] = [median(rates.ours), median(rates.baseline)];
    const ratio = a / b;
    const load = Number(loadavg()[0]?.toFixed(1));
    const result = {
      bench: bench.name,
      label,
      unit,
      rounds,
      ours: a,
      baseline: b,
      ratio,
      bar,
      met: bar === null ? null : ratio >= bar,
      load,
    };
    results.push({ ...result, notes: notes?.() ?? {} });
    console.log(row(results[results.length - 1]));
  };

const HEADINGS = ['bench', 'case', 'ours', 'baseline', 'unit', 'ratio', 'bar', 'load', ''];
const WIDTHS = [14, 26, 11, 11, 11, 7, 6, 5, 0];

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, i) => (i >= 2 && i !== 4 && i < 8 ? cell.padStart(WIDTHS[i] ?? 0) : cell.padEnd(WIDTHS[i] ?? 0)))
    .join(' ')
    .trimEnd();

const row = (result: Result | undefined): string => {
  if (!result) return line(HEADINGS);
  const { bench, label, ours, baseline, unit, ratio, bar, met, load, notes } = result;
  const verdict = met === null ? '' : met ? 'met' : 'MISSED';
  const further = Object.entries(notes).map(([name, value]) => `${name} ${value}`);
  const figures = [ours, baseline].map((rate) => (rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toPrecision(3)));
  const said = [verdict, ...further].join('  ');
  return line([bench, label, ...figures, unit, ratio.toFixed(2), bar === null ? '-' : String(bar), load.toFixed(1), said]);
};

/** The machine and the versions of the figures. */
const circumstances = (root: URL) => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const packages = typeof manifest === 'object' && manifest && 'dependencies' in manifest ? manifest.dependencies : {};
  const cores = cpus();
  return {
    at: new Date().toISOString(),
    node: process.version,
    system: `${type()} ${release()}`,
    packages,
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryBytes: totalmem(),
  };
};

/**
 * Runs the benches one after another (all, or the named ones), prints a table and writes the results to `bench/results.json` after each. `root` is the
 * project's directory. `args`: names, `--full` for the full size, `--long` for the cases that take most of an hour.
 */
export const runBenches = async (benches: readonly Bench[], args: readonly string[], root: URL): Promise<void> => {
  const [full, long] = [args.includes('--full'), args.includes('--long')];
  const names = args.filter((arg) => !arg.startsWith('--'));
  const results: Result[] = [];
  console.log(row(undefined));
  for (const bench of benches) {
    if (names.length > 0 && !names.includes(bench.name)) continue;
    await bench.run(compareInto(results, bench), { full, long });
    writeFileSync(new URL('bench/results.json', root), `${JSON.stringify({ ...circumstances(root), full, results }, null, 2)}\n`);
  }
};
