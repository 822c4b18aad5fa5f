import type { Seen } from './rig.ts';

export interface Row {
  readonly attack: string;
  readonly by: string;
  readonly seen: Seen;
  readonly outcomes: ReadonlyMap<string, number>;
  /** Faults; empty if the attack is repelled. */
  readonly faults: readonly string[];
}

const HEADINGS = [
  'attack',
  'by',
  'outcomes',
  '/health/live max',
  'p99',
  'turn (ran, waited)',
  'uploads/s',
  'reads/s',
  'webhooks/s',
  'memory (heap, buffers)',
  'verdict',
];
const MOST_OUTCOMES = 4;

const perSecond = (count: number, { seconds }: Seen): string => (count / seconds).toFixed(1);

const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0);

const shownOutcomes = (outcomes: Row['outcomes']): string => {
  const shown = [...outcomes].slice(0, MOST_OUTCOMES).map(([outcome, count]) => `${outcome}: ${count}`);
  return [...shown, ...(outcomes.size > MOST_OUTCOMES ? [`${outcomes.size - MOST_OUTCOMES} more`] : [])].join(', ') || '-';
};

const cellsOf = ({ attack, by, seen, outcomes, faults }: Row): string[] => [
  attack,
  by,
  shownOutcomes(outcomes),
  `${seen.health.max.toFixed(0)} ms`,
  `${seen.health.p99.toFixed(0)} ms`,
  `${seen.loop.turn.toFixed(0)} (${seen.loop.ran.toFixed(0)}, ${seen.loop.waited.toFixed(0)}) ms`,
  perSecond(seen.innocent.uploads, seen),
  perSecond(seen.innocent.reads, seen),
  perSecond(seen.innocent.webhooks, seen),
  `${mebibytes(seen.memory)} (${mebibytes(seen.used.heap)}, ${mebibytes(seen.used.buffers)}) MB`,
  faults.length === 0 ? 'ok' : 'FAILED',
];

/** The rows as a text table, followed by the faults. */
export const tableOf = (rows: readonly Row[]): string => {
  const lines = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const faults = rows.flatMap(({ attack, faults: found }) => found.map((fault) => `${attack}: ${fault}`));
  return ['', ...text, '', ...faults].join('\n');
};
