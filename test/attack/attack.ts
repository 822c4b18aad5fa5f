/** What an attack is given. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** The API key of a user of the attack's own; empty for an attacker without a credential. */
  readonly key: string;
  /** The subject of that user; empty for an attacker without a credential. */
  readonly subject: string;
  /** `authorization` with that key; empty without one. */
  readonly headers: Readonly<Record<string, string>>;
  /** The folder of the server's stores, for attacks on the disk. */
  readonly dataDir: string;
  /** The attack ends when it aborts. */
  readonly signal: AbortSignal;
  /** A few repetitions are enough: continuous integration runs it. */
  readonly short: boolean;
  /** Counts an outcome, such as a status, for the table and for `check`. */
  count(outcome: string | number): void;
}

/** What came of an attack. */
export interface Outcome {
  readonly target: Target;
  /** How often each outcome was counted. */
  readonly outcomes: ReadonlyMap<string, number>;
}

/** One attack of `npm run attack`. Each has a file of its own in `attacks/` and a line in `attacks.ts`. */
export interface Attack {
  /** Its row in the table, and its name on the command line. */
  readonly name: string;
  readonly by: 'a user' | 'an auditor' | 'nobody';
  /** Settings of the server. An attack with settings gets a server of its own; all others share one. */
  readonly environment?: Readonly<Record<string, string>>;
  /** An outcome that must come before the attack ends, within a minute. Default: any. */
  readonly until?: string;
  /** A status that the innocent tenant may get too, where the attack ends what all share. */
  readonly innocentMayGet?: number;
  /** Makes what the attack needs. It is not measured. */
  prepare?(target: Target): Promise<void>;
  /** Attacks until the signal aborts. A rejection fails the attack. */
  run(target: Target): Promise<void>;
  /** Throws when the outcome is not as promised: statuses, counts and bytes, never times. */
  check?(outcome: Outcome): void | Promise<void>;
}

/** Runs `once` again and again in `lanes` at a time until the signal aborts. What fails because the attack has ended is no failure. */
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
