/** Context of an attack. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** The API key of the attacker, an ordinary user; empty without a credential. */
  readonly key: string;
  /** `authorization` with that key; empty without one. */
  readonly headers: Readonly<Record<string, string>>;
  /** The attack ends when it aborts. */
  readonly signal: AbortSignal;
  /** Counts an outcome, such as a status. */
  count(outcome: string | number): void;
}

/** One attack of `npm run attack`. */
export interface Attack {
  readonly name: string;
  readonly by: 'a user' | 'nobody';
  /** The only outcomes that the documents allow. */
  readonly allowed: readonly (string | number)[];
  /** Prepares the attack, outside of the measurement. */
  prepare?(target: Target): Promise<void>;
  /** Attacks until the signal aborts. A rejection fails the attack. */
  run(target: Target): Promise<void>;
  /** Releases what the attacker has opened. Throws if a promise was broken that outcomes do not show. */
  end?(): void | Promise<void>;
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

/** Sends a request, reads its answer and counts its status. */
export const send = async ({ url, headers, signal, count }: Target, path: string, init: RequestInit = {}): Promise<number> => {
  const answer = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers }, signal });
  await answer.arrayBuffer();
  count(answer.status);
  return answer.status;
};

export const json = (method: string, body: object | string): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Resolves when the attack is over. */
export const untilOver = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
