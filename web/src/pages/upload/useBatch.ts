import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../api/errors.ts';
import type { Stream } from '../../api/types.ts';
import { newId } from '../../api/upload.ts';
import { apiErrorOf } from '../../api/useResource.ts';
import { type Job, STOPPED, sendJob } from './job.ts';

export type BatchState =
  | { readonly state: 'waiting'; readonly because: string | null }
  | { readonly state: 'going'; readonly sent: number; readonly total: number }
  | { readonly state: 'done'; readonly stream: Stream }
  | { readonly state: 'failed'; readonly error: ApiError };

const AT_ONCE = 3;
const AGAIN_MILLISECONDS = 3_000;
const WAITING: BatchState = { state: 'waiting', because: null };

/** Sends jobs, a few at once. A job that is refused because too many streams run waits for its turn. */
export const useBatch = (jobs: readonly Job[]) => {
  const [states, setStates] = useState<readonly BatchState[]>(() => jobs.map(() => WAITING));
  const stopping = useRef(new AbortController());
  const set = (n: number, state: BatchState) => setStates((before) => before.map((one, index) => (index === n ? state : one)));
  const start = (numbers: readonly number[], idOf: (job: Job) => string) => {
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    const queue = [...numbers];
    for (const n of numbers) set(n, WAITING);
    const work = async () => {
      for (let n = queue.shift(); n !== undefined; n = queue.shift()) {
        const [job, index] = [jobs[n], n];
        if (job) await sendInTurn({ ...job, streamId: idOf(job) }, signal, (state) => set(index, state));
      }
    };
    for (let lane = 0; lane < AT_ONCE; lane++) void work();
  };
  // Runs once. It continues while the user looks at another page.
  useEffect(
    () =>
      start(
        jobs.map((_, n) => n),
        ({ streamId }) => streamId,
      ),
    [],
  );
  return {
    states,
    stop: () => stopping.current.abort(STOPPED),
    // Under new ids: a try that broke off may have created its stream.
    retry: () =>
      start(
        states.flatMap(({ state }, n) => (state === 'failed' ? [n] : [])),
        newId,
      ),
  };
};

const sendInTurn = async (job: Job, signal: AbortSignal, show: (state: BatchState) => void): Promise<void> => {
  for (;;) {
    try {
      signal.throwIfAborted();
      const stream = await sendJob(job, signal, (sent, total) => show({ state: 'going', sent, total }));
      return show({ state: 'done', stream });
    } catch (thrown) {
      const error = apiErrorOf(thrown);
      if (error.status !== 429 || signal.aborted) return show({ state: 'failed', error });
      show({ state: 'waiting', because: 'Waiting: too many of your streams are running.' });
      await pause(AGAIN_MILLISECONDS, signal);
    }
  }
};

/** Ends early when the signal aborts. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
