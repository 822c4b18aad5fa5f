import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/request.ts';
import { useAction } from '../api/useAction.ts';
import { useResource } from '../api/useResource.ts';
import { bytes } from '../parts/format.ts';
import { ErrorNote } from '../parts/Notes.tsx';

// Up to this size the recording is fetched without asking.
const SMALL_BYTES = 8 * 1024 * 1024;

interface RecordingProps {
  readonly streamId: string;
  /** Given the element that plays, once there is something to play. */
  readonly onAudio: (audio: HTMLAudioElement | null) => void;
}

/**
 * The uploaded sound, as long as it is kept. It is fetched with the caller's credential, which an address of its own would have to carry
 * in its query.
 */
export const Recording = ({ streamId, onAudio }: RecordingProps) => {
  const path = `/stream-service/api/v1/streams/${streamId}/data-source`;
  const [url, setUrl] = useState<string | null>(null);
  const { data: source } = useResource({
    key: path,
    load: async (signal) => {
      const { headers } = await ask('HEAD', path, { signal });
      return { type: headers.get('Content-Type') ?? '', size: Number(headers.get('Content-Length')) };
    },
  });
  const { busy, error, run } = useAction(async () => setUrl(URL.createObjectURL(await (await ask('GET', path)).blob())));
  const isSound = source?.type.startsWith('audio/') ?? false;
  const fetchNow = isSound && (source?.size ?? 0) <= SMALL_BYTES;
  useEffect(() => {
    if (fetchNow) void run();
  }, [fetchNow]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  if (!source || !isSound) return null;
  return (
    <div class="recording">
      {url ? (
        // biome-ignore lint/a11y/useMediaCaption: the transcript stands below it
        <audio ref={onAudio} src={url} controls preload="metadata" aria-label="The recording" />
      ) : (
        <button type="button" class="button" disabled={busy} onClick={() => void run()}>
          {busy ? 'Loading the recording…' : `Load the recording (${bytes(source.size)})`}
        </button>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  );
};
