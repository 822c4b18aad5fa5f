import { getJson } from '../../api/request.ts';
import type { Stream } from '../../api/types.ts';
import { useResource } from '../../api/useResource.ts';

const POLL_MILLISECONDS = 1_000;

/** A stream as it is now, read until it has ended. `uploaded`: as its upload was answered; `null` before. */
export const useStream = (uploaded: Stream | null): Stream | null => {
  const { data } = useResource<Stream | null>({
    key: uploaded?.streamId ?? '',
    load: async (signal) => uploaded && getJson<Stream>(`/stream-service/api/v1/streams/${uploaded.streamId}`, { signal }),
    every: (stream) => (stream && stream.state === 'READY' ? POLL_MILLISECONDS : null),
  });
  return data ?? uploaded;
};
