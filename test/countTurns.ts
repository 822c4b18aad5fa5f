/** Counts the turns of the event loop until it is stopped. */
export const countTurns = (): { stop(): number } => {
  let turns = 0;
  let isOver = false;
  const next = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(next);
  };
  setImmediate(next);
  return {
    stop: () => {
      isOver = true;
      return turns;
    },
  };
};
