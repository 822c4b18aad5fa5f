import { distance } from 'fastest-levenshtein';
import { Problem } from '../problem.ts';

const MAX_SHOWN = 200;

/** A name is close if at most every third letter differs. */
const closest = (name: string, known: readonly string[]): string | null => {
  const close = known
    .map((one) => ({ one, letters: distance(one.toLowerCase(), name.toLowerCase()) }))
    .filter(({ one, letters }) => letters <= Math.max(1, Math.floor(one.length / 3)))
    .sort((a, b) => a.letters - b.letters);
  return close[0]?.one ?? null;
};

/** Nested error of a patch whose path names nothing, with the name that was probably meant. */
export const noSuchParameter = (path: string, known: readonly string[]): Problem => {
  const name = (path.startsWith('/') ? path.slice(1) : path).slice(0, MAX_SHOWN);
  const meant = closest(name, known);
  const hint = meant === null ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  return new Problem('STREAM_CONFIGURATION_BAD_PATCH', `There is no parameter ${JSON.stringify(name)}.${hint}`);
};
