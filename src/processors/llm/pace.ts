/** Work between two pauses, in characters: about 15 ms. */
const CHARACTERS = 20_000;

/** Call it with the size of each piece of work. It yields to the event loop now and then, and rejects if the run was aborted. */
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
