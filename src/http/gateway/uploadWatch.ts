import type { Clock } from '../../clock.ts';
import { loadStream } from '../../commands/loadStream.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import type { StreamNews } from '../streams/streamNews.ts';

export interface UploadWatchDeps {
  readonly log: EventLog;
  readonly news: StreamNews;
  readonly clock: Clock;
}

const WATCH_MILLISECONDS = 500;
/** News of a cancellation come at once; this is for those that are lost. */
const LOST_NEWS_MILLISECONDS = 10_000;

/**
 * Calls `onFailed` when the stream of an open upload has failed, for example because it was canceled on any node. A look that fails is repeated after
 * `onError`. Resolves when the signal aborts.
 */
export const watchUpload = async (
  { log, news, clock }: UploadWatchDeps,
  streamId: string,
  { onFailed, onError }: { readonly onFailed: () => void; readonly onError: (error: unknown) => void },
  signal: AbortSignal,
): Promise<void> => {
  // Most uploads have ended by then.
  if ((await clock.pause(WATCH_MILLISECONDS, signal)) === 'aborted') return;
  const listener = news.listen(streamId);
  try {
    for (;;) {
      const now = await loadStream(log, streamId).catch(onError);
      if (now?.upload.state === 'failed') return onFailed();
      await listener.next(LOST_NEWS_MILLISECONDS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    listener.stop();
  }
};
