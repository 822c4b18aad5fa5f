import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/request.ts';
import { useAction } from '../api/useAction.ts';
import { useResource } from '../api/useResource.ts';
import { bytes } from '../parts/format.ts';
import { ErrorNote } from '../parts/Notes.tsx';

// Up to this size the recording is fetched without asking.
const SMALL_BYTES = 8 * 1024 * 1024;
const STEP_SECONDS = 5;
const SPEEDS = [0.75, 1, 1.25, 1.5, 2];

export interface PlayerProps {
  readonly streamId: string;
  /** Given the element that plays, once there is something to play. */
  readonly onAudio: (audio: HTMLAudioElement | null) => void;
  /** Millisecond of the recording that the page is opened at. */
  readonly openedAt: number | null;
}

/**
 * Plays the uploaded recording, as long as it is kept. It is fetched with the caller's credential, which an address of its own would have
 * to carry in its query.
 */
export const Player = ({ streamId, onAudio, openedAt }: PlayerProps) => {
  const path = `/stream-service/api/v1/streams/${streamId}/data-source`;
  const [url, setUrl] = useState<string | null>(null);
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  const { data: source } = useResource({
    key: path,
    load: async (signal) => {
      const { headers } = await ask('HEAD', path, { signal });
      return { type: headers.get('Content-Type') ?? '', size: Number(headers.get('Content-Length')) };
    },
  });
  const { busy, error, run } = useAction(async () => setUrl(URL.createObjectURL(await (await ask('GET', path)).blob())));
  const canPlay = /^(audio|video)\//.test(source?.type ?? '');
  const fetchNow = canPlay && (source?.size ?? 0) <= SMALL_BYTES;
  useEffect(() => {
    if (fetchNow) void run();
  }, [fetchNow]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  useEffect(() => {
    onAudio(audio);
    if (audio && openedAt !== null) audio.currentTime = openedAt / 1000;
  }, [audio, openedAt]);
  useKeys(audio);
  if (!source || !canPlay) return null;
  return (
    <section class="player" aria-label="Player">
      {url ? (
        <>
          {/* biome-ignore lint/a11y/useMediaCaption: the transcript stands below it */}
          <audio ref={setAudio} src={url} controls preload="metadata" aria-label="The recording" />
          {audio && <Controls audio={audio} />}
        </>
      ) : (
        <button type="button" class="button" disabled={busy} onClick={() => void run()}>
          {busy ? 'Loading the recording…' : `Load the recording (${bytes(source.size)})`}
        </button>
      )}
      {error && <ErrorNote error={error} />}
    </section>
  );
};

const step = (audio: HTMLAudioElement, seconds: number): void => {
  audio.currentTime = Math.max(0, audio.currentTime + seconds);
};

const Controls = ({ audio }: { readonly audio: HTMLAudioElement }) => {
  const [speed, setSpeed] = useState(1);
  return (
    <>
      <button type="button" class="button bare" title="Back (J)" aria-keyshortcuts="J" onClick={() => step(audio, -STEP_SECONDS)}>
        −{STEP_SECONDS} s
      </button>
      <button type="button" class="button bare" title="Forward (L)" aria-keyshortcuts="L" onClick={() => step(audio, STEP_SECONDS)}>
        +{STEP_SECONDS} s
      </button>
      <select
        aria-label="Speed"
        value={String(speed)}
        onChange={({ currentTarget }) => {
          audio.playbackRate = Number(currentTarget.value);
          setSpeed(audio.playbackRate);
        }}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={String(one)}>
            {one} ×
          </option>
        ))}
      </select>
    </>
  );
};

/** J and L move, K plays and pauses, unless the reader types somewhere. */
const useKeys = (audio: HTMLAudioElement | null): void => {
  useEffect(() => {
    if (!audio) return;
    const press = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (
        ctrlKey ||
        metaKey ||
        altKey ||
        (target instanceof Element && target.closest('input, select, textarea, dialog, [contenteditable]'))
      )
        return;
      if (key === 'j') step(audio, -STEP_SECONDS);
      else if (key === 'l') step(audio, STEP_SECONDS);
      else if (key === 'k') audio.paused ? void audio.play() : audio.pause();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [audio]);
};
