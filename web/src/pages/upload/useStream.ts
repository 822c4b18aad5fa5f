import { getJson } from '../../api/request.ts';
import type { Stream, StreamComponents } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';
import { hasFailed } from '../../parts/failure.ts';

const POLL_MILLISECONDS = 1_000;

interface SeenStream {
  readonly stream: Stream;
  /** What to do about its failure; `null` unless it failed. */
  readonly advice: string | null;
}

/** A stream as it is now, read until it has ended. `uploaded`: as its upload was answered; `null` before. */
export const useStream = (uploaded: Stream | null): SeenStream | null => {
  const { data } = useResource<SeenStream | null>({
    key: uploaded?.streamId ?? '',
    load: async (signal) => uploaded && seen(`/stream-service/api/v1/streams/${uploaded.streamId}`, signal),
    every: (found) => (found?.stream.state === 'READY' ? POLL_MILLISECONDS : null),
  });
  return data ?? (uploaded && { stream: uploaded, advice: null });
};

const seen = async (path: string, signal: AbortSignal): Promise<SeenStream> => {
  const stream = await getJson<Stream>(path, { signal });
  if (!hasFailed(stream)) return { stream, advice: null };
  const { advice } = await getJson<StreamComponents>(`${path}/components`, { signal });
  return { stream, advice };
};
