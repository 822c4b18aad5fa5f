/** A part that begins at an item: the item behind it, and its cost. */
export interface Part {
  readonly to: number;
  readonly cost: number;
}

interface Best {
  readonly cost: number;
  /** Where the last part begins. */
  readonly from: number;
}

/** Divides items into parts at the least cost altogether. `partsFrom` gives the parts that can begin at an item: at least that of the item alone. */
export const cheapestParts = <Item>(items: readonly Item[], partsFrom: (from: number) => Iterable<Part>): Item[][] => {
  const best: Best[] = [{ cost: 0, from: 0 }];
  for (let from = 0; from < items.length; from += 1) {
    const before = best[from]?.cost ?? 0;
    for (const { to, cost } of partsFrom(from)) {
      const known = best[to];
      if (!known || before + cost < known.cost) best[to] = { cost: before + cost, from };
    }
  }
  const parts: Item[][] = [];
  for (let to = items.length; to > 0; to = best[to]?.from ?? 0) parts.push(items.slice(best[to]?.from ?? 0, to));
  return parts.reverse();
};
