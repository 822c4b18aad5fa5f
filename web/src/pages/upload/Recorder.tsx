import { useEffect, useRef, useState } from 'preact/hooks';
import { clockTime } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';

const ENDINGS: readonly (readonly [string, string])[] = [
  ['audio/webm', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg', 'ogg'],
];

/** Records from the microphone. Browsers allow that only over https or on the same machine. */
export const Recorder = ({ onRecorded }: { readonly onRecorded: (file: File) => void }) => {
  const recorder = useRef<MediaRecorder | null>(null);
  const [began, setBegan] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const elapsed = useElapsed(began);
  useEffect(() => () => stop(recorder.current), []);
  if (!navigator.mediaDevices) return <span class="hint">Recording needs https, or a browser on the server's own machine.</span>;
  const start = async () => {
    setProblem(null);
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      recorder.current = record(stream, (file) => {
        setBegan(null);
        onRecorded(file);
      });
      setBegan(Date.now());
    } catch (error) {
      setProblem(microphoneProblem(error));
    }
  };
  return (
    <>
      {began === null ? (
        <button type="button" class="button" onClick={() => void start()}>
          <Icon name="record" /> Record
        </button>
      ) : (
        <button type="button" class="button danger" onClick={() => stop(recorder.current)}>
          <Icon name="stop" /> Stop recording, {clockTime(elapsed)}
        </button>
      )}
      {problem && (
        <span class="field-error" role="alert">
          {problem}
        </span>
      )}
    </>
  );
};

/** Why there is no microphone, and what to do. */
export const microphoneProblem = (error: unknown): string =>
  error instanceof DOMException && error.name === 'NotAllowedError'
    ? 'The browser blocked the microphone. Allow it, then try again.'
    : 'No microphone was found. Connect one, then try again.';

const record = (stream: MediaStream, onRecorded: (file: File) => void): MediaRecorder => {
  const recorder = new MediaRecorder(stream);
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  recorder.onstop = () => {
    for (const track of stream.getTracks()) track.stop();
    const [type, ending] = ENDINGS.find(([known]) => recorder.mimeType.startsWith(known)) ?? ['application/octet-stream', 'bin'];
    onRecorded(new File(pieces, `recording.${ending}`, { type }));
  };
  recorder.start();
  return recorder;
};

const stop = (recorder: MediaRecorder | null): void => {
  if (recorder && recorder.state !== 'inactive') recorder.stop();
};

/** Milliseconds since a time, updated twice a second; 0 without one. */
export const useElapsed = (since: number | null): number => {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (since === null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [since]);
  return since === null ? 0 : Math.max(0, now - since);
};
