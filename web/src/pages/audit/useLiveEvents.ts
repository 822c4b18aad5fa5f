import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/errors.ts';
import { apiErrorOf } from '../../api/useResource.ts';
import { followLog, type LogEvent } from './audit.ts';

/** Events shown above the page; older ones are on it after a reload. */
const MOST = 200;

interface LiveEvents {
  /** Newest first. */
  readonly events: readonly LogEvent[];
  readonly error: ApiError | undefined;
}

/** New events that match the address while `isOn`, after the newest one shown. `onEnd`: the server has ended the read. */
export const useLiveEvents = (query: URLSearchParams, after: string | null, isOn: boolean, onEnd: () => void): LiveEvents => {
  const [live, setLive] = useState<LiveEvents>({ events: [], error: undefined });
  const key = `${query.toString()} ${after ?? ''}`;
  useEffect(() => {
    setLive({ events: [], error: undefined });
    if (!isOn) return;
    const ending = new AbortController();
    const follow = async (): Promise<void> => {
      try {
        for await (const events of followLog(query, after, ending.signal))
          setLive((before) => ({ events: [...events.toReversed(), ...before.events].slice(0, MOST), error: undefined }));
        onEnd();
      } catch (thrown) {
        if (!ending.signal.aborted) setLive((before) => ({ ...before, error: apiErrorOf(thrown) }));
      }
    };
    void follow();
    return () => ending.abort();
  }, [key, isOn]);
  return live;
};
