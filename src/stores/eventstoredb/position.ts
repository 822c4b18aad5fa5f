import type { Position } from '../eventStore.ts';

const FORM = /^(\d{20}):(\d{20})$/;

/** `commit:prepare`, each padded to 20 digits, so that positions sort in the order of the log. */
export const toPosition = (commit: string, prepare: string): Position =>
  // Only here are positions of this store created.
  `${commit.padStart(20, '0')}:${prepare.padStart(20, '0')}` as Position;

/** Decimal text without padding. Throws `TypeError` for a position of another store. */
export const fromPosition = (position: Position): { commit: string; prepare: string } => {
  const [, commit, prepare] = FORM.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) throw new TypeError(`Not a position of the log: ${JSON.stringify(position)}`);
  return { commit: BigInt(commit).toString(), prepare: BigInt(prepare).toString() };
};
