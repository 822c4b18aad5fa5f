import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './errors.ts';

/** Data from the server: the last known state, and the result of the last read. */
export interface Resource<T> {
  /** The last data read; they stay while being read again. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

interface Reading<T> {
  /** Another `key` names other data: the known ones are dropped. */
  readonly key: string;
  readonly load: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds until the next read; `null`: no repetition. Nothing is read while the tab is hidden. */
  readonly every?: (data: T | undefined) => number | null;
}

interface Known<T> {
  readonly key: string;
  readonly data?: T | undefined;
  readonly error?: ApiError | undefined;
  readonly loading: boolean;
}

/** Reads at once, at every new `key`, at `reload()`, and as often as `every` says. */
export const useResource = <T>({ key, load, every }: Reading<T>): Resource<T> => {
  const [known, setKnown] = useState<Known<T>>({ key, loading: true });
  const [turn, setTurn] = useState(0);
  const newest = useRef({ load, every });
  newest.current = { load, every };
  const reload = useCallback(() => setTurn((before) => before + 1), []);

  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: T | undefined;
    const keep = (next: (before: Known<T>) => Known<T>) => {
      if (!ending.signal.aborted) setKnown((before) => next(before.key === key ? before : { key, loading: true }));
    };
    const read = async (): Promise<void> => {
      try {
        const data = await newest.current.load(ending.signal);
        last = data;
        keep(() => ({ key, data, loading: false }));
      } catch (thrown) {
        const error = apiErrorOf(thrown);
        keep((before) => ({ ...before, error, loading: false }));
        if (isLasting(error)) return;
      }
      const wait = newest.current.every?.(last) ?? null;
      if (wait !== null && !ending.signal.aborted) timer = setTimeout(() => void whenSeen(ending.signal).then(read, () => {}), wait);
    };
    keep((before) => ({ ...before, loading: true }));
    void read();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [key, turn]);

  const { data, error, loading } = known.key === key ? known : { data: undefined, error: undefined, loading: true };
  return { data, error, loading, reload };
};

/** A refusal is final; a server that is away is asked again. */
const isLasting = ({ status }: ApiError): boolean => status >= 400 && status < 500 && status !== 429;

/** An error other than `ApiError` is a fault of the page itself, and is shown too. */
export const apiErrorOf = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, error instanceof Error ? error.message : String(error));

/** Resolves when the tab is visible; rejects when the signal aborts. */
const whenSeen = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (!document.hidden) return resolve();
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
