/** The product's time. Injected everywhere, so that tests control it: only this file calls `Date.now` and `setTimeout`. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never jumps; only differences are meaningful. */
  monotonic(): number;
  /** Resolves with `elapsed` after `milliseconds` or with `aborted` when the signal aborts. Never rejects. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<Pause>;
}

export const DAY_MILLISECONDS = 86_400_000;

export type Pause = 'elapsed' | 'aborted';

/** Node's longest timer, about 25 days. Node turns a longer one into a millisecond. */
const LONGEST_TIMER = 2 ** 31 - 1;

const timer = (milliseconds: number, signal: AbortSignal | undefined): Promise<Pause> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve('aborted');
    const onAbort = () => {
      clearTimeout(timeout);
      resolve('aborted');
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve('elapsed');
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async pause(milliseconds, signal) {
    let left = milliseconds;
    for (; left > LONGEST_TIMER; left -= LONGEST_TIMER) if ((await timer(LONGEST_TIMER, signal)) === 'aborted') return 'aborted';
    return timer(left, signal);
  },
};

/** A time within a recording, such as `1:05` or `1:02:03`; padded, `00:01:05`. */
export const clockText = (milliseconds: number, { padded = false } = {}): string => {
  const total = Math.max(0, Math.floor(milliseconds / 1_000));
  const [hours, minutes, seconds] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  const parts = hours > 0 || padded ? [hours, minutes, seconds] : [minutes, seconds];
  return parts.map((part, n) => String(part).padStart(n > 0 || padded ? 2 : 1, '0')).join(':');
};

/** `2026-11-21T10:00:00.000Z`, the format of every time in the product's output. */
export const isoTime = (epochMilliseconds: number): string => new Date(epochMilliseconds).toISOString();
