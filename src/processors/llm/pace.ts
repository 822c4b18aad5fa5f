/** Lets other work of the process run after so many characters of reckoning: about 15 ms. */
const CHARACTERS = 20_000;

/** Call it with the size of each piece of work; now and then it waits a turn of the event loop, and rejects when the run was aborted. */
export type Pace = (characters: number) => Promise<void> | undefined;

export const newPace = (signal: AbortSignal): Pace => {
  let done = 0;
  return (characters) => {
    done += characters;
    if (done < CHARACTERS) return undefined;
    done = 0;
    return new Promise((resolve, reject) => setImmediate(() => (signal.aborted ? reject(signal.reason) : resolve())));
  };
};
