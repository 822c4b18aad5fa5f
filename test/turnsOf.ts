/** Turns of the event loop that pass while `work` runs. */
export const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    over = true;
  }
  return turns;
};
