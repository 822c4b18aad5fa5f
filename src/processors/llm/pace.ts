import { givingWay } from '../../supervision/ownTurn.ts';

/** Await it before each piece of work. Other work goes first after each millisecond. Rejects if the run was aborted meanwhile. */
export type Pace = () => Promise<void>;

/** By time and not by length: some texts take twenty times as long as others. */
export const newPace = (signal: AbortSignal): Pace => {
  const giveWay = givingWay();
  return async () => {
    await giveWay();
    signal.throwIfAborted();
  };
};
