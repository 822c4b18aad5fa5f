/** Context of an attack. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** The API key of the attack's own user; empty for an attacker without a credential. */
  readonly key: string;
  /** The subject of that user; empty for an attacker without a credential. */
  readonly subject: string;
  /** `authorization` with that key; empty without one. */
  readonly headers: Readonly<Record<string, string>>;
  /** The folder of the server's stores, for attacks on the disk. */
  readonly dataDir: string;
  /** The attack ends when it aborts. */
  readonly signal: AbortSignal;
  /** A few repetitions are enough, for continuous integration. */
  readonly short: boolean;
  /** Counts an outcome, such as a status, for the table and for `check`. */
  count(outcome: string | number): void;
}

/** The result of an attack. */
export interface Outcome {
  readonly target: Target;
  /** Count of each outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
}

/** One attack of `npm run attack`. Each has a file of its own in `attacks/` and a line in `attacks.ts`. */
export interface Attack {
  /** Its row in the table, and its name on the command line. */
  readonly name: string;
  readonly by: 'a user' | 'an auditor' | 'nobody';
  /** Settings of the server. An attack with settings gets a server of its own; all others share one. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A disk of its own, and the settings for the bytes that are free on it. If none can be mounted, the disk of temporary files serves. */
  readonly disk?: { readonly mebibytes: number; readonly settings: (freeBytes: number) => Readonly<Record<string, string>> };
  /** The attack continues until one of these outcomes has occurred, for at most a minute. Default: until any outcome has occurred. */
  readonly until?: readonly string[];
  /** Prepares the attack, outside of the measurement. */
  prepare?(target: Target): Promise<void>;
  /** Attacks until the signal aborts. A rejection fails the attack. */
  run(target: Target): Promise<void>;
  /** Throws if the outcome differs from the promise: statuses, counts and bytes, never times. */
  check?(outcome: Outcome): void | Promise<void>;
}

/** Repeats `once` in `lanes` parallel loops until the signal aborts. Failures after the end of the attack are ignored. */
export const repeat = async (signal: AbortSignal, lanes: number, once: (lane: number) => Promise<void>): Promise<void> => {
  const lane = async (number: number): Promise<void> => {
    while (!signal.aborted) {
      try {
        await once(number);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
};
