/** Turns of the event loop that pass while `work` runs. It can ask how many have passed. */
export const turnsOf = async (work: (passed: () => number) => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work(() => turns);
  } finally {
    over = true;
  }
  return turns;
};
