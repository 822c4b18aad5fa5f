/**
 * Numbers in the order in which they were appended, in chunks whose lengths are falling powers of two. Appending copies a number about as often as
 * their count has binary digits: an array copied at each event makes folding quadratic. Never changes; plain JSON.
 */
export type AppendedNumbers = readonly (readonly number[])[];

export const withNumber = (numbers: AppendedNumbers, added: number): AppendedNumbers => {
  let last: readonly number[] = [added];
  let kept = numbers.length;
  for (let before = numbers[kept - 1]; before?.length === last.length; before = numbers[kept - 1]) {
    last = before.concat(last);
    kept -= 1;
  }
  return [...numbers.slice(0, kept), last];
};

export const countOf = (numbers: AppendedNumbers): number => numbers.reduce((count, chunk) => count + chunk.length, 0);

export const lastNumber = (numbers: AppendedNumbers): number | undefined => numbers.at(-1)?.at(-1);

/** The number at an index from 0; `undefined` if there is none. */
export const numberAt = (numbers: AppendedNumbers, index: number): number | undefined => {
  let before = 0;
  for (const chunk of numbers) {
    if (index < before + chunk.length) return chunk[index - before];
    before += chunk.length;
  }
  return undefined;
};
