import type { Clock } from '../../clock.ts';
import { loadStream } from '../../commands/loadStream.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { ownTurn } from '../../supervision/ownTurn.ts';
import type { StreamNews } from '../streams/streamNews.ts';

export interface UploadWatchDeps {
  readonly log: EventLog;
  readonly news: StreamNews;
  readonly clock: Clock;
}

const WATCH_MILLISECONDS = 500;
/** News of a cancellation come at once; this is for those that are lost. */
const LOST_NEWS_MILLISECONDS = 10_000;

interface Watched {
  readonly streamId: string;
  readonly hasEnded: () => boolean;
  readonly onFailed: () => void;
  /** A look that fails is repeated. */
  readonly onError: (error: unknown) => void;
}

/** Calls `onFailed` when the stream of an open upload has failed, for example because it was canceled on any node. Resolves when the upload has ended or the signal aborts. */
export const watchUpload = async (deps: UploadWatchDeps, watched: Watched, signal: AbortSignal): Promise<void> => {
  // Most uploads have ended by then.
  if ((await deps.clock.pause(WATCH_MILLISECONDS, signal)) === 'aborted') return;
  const listener = deps.news.listen(watched.streamId);
  try {
    while (!watched.hasEnded()) {
      await ownTurn();
      await look(deps, watched);
      await listener.next(LOST_NEWS_MILLISECONDS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    listener.stop();
  }
};

/** A function of its own: a loop would hold the state, which may be large, while it waits (`supervision/items.ts`). */
const look = async ({ log }: UploadWatchDeps, { streamId, onFailed, onError }: Watched): Promise<void> => {
  try {
    const now = await loadStream(log, streamId);
    if (now?.upload.state === 'failed') onFailed();
  } catch (error) {
    onError(error);
  }
};
