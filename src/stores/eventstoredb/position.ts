import type { Position } from '../eventStore.ts';

const FORM = /^(\d{20}):(\d{20})$/;

/** `commit:prepare`, each padded to 20 digits, so that positions sort as the log does. */
export const toPosition = (commit: string, prepare: string): Position =>
  // The one place where this store's positions come from.
  `${commit.padStart(20, '0')}:${prepare.padStart(20, '0')}` as Position;

/** Decimal text without the padding. Throws `TypeError` for what is no position of this store. */
export const fromPosition = (position: Position): { commit: string; prepare: string } => {
  const [, commit, prepare] = FORM.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) throw new TypeError(`Not a position of the log: ${JSON.stringify(position)}`);
  return { commit: BigInt(commit).toString(), prepare: BigInt(prepare).toString() };
};
