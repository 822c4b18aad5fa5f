/** Runs work on each item, at most `jobs` at once, in the order of the items. */
export const limited = async <Item>(items: Iterable<Item>, jobs: number, work: (item: Item) => Promise<void>): Promise<void> => {
  const rest = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
};
