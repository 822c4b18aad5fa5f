import { useRef } from 'preact/hooks';
import type { StreamComponents } from '../../../api/types.ts';
import { clockTime, duration } from '../../../parts/format.ts';
import type { Results } from '../../../results/results.ts';

interface ProgressProps {
  readonly components: StreamComponents;
  readonly results: Results;
}

/** The progress of a running stream, and its remaining time if it can be estimated. */
export const Progress = ({ components, results }: ProgressProps) => {
  const { gateway, processors } = components;
  const running = processors.find(({ state }) => state === 'RUNNING');
  const heard = results.utterances.at(-1)?.end ?? null;
  // Later stages run on the finished transcript: how far they are is not known.
  const isHearing = running !== undefined && processors.findIndex(({ state }) => state !== 'COMPLETED') === 0;
  const length = isHearing && gateway.state === 'CLOSED' ? results.recordingLength : null;
  const part = length === null || heard === null ? null : Math.min(1, heard / length);
  const left = useTimeLeft(running?.processorId ?? '', part);
  const ended = processors.filter(({ state }) => state === 'COMPLETED').length;
  return (
    <div class="progress" role="group" aria-label="Progress">
      {part === null ? (
        <progress aria-label="Progress of the stream" />
      ) : (
        <progress value={part} max={1} aria-label="Progress of the stream" />
      )}
      <span class="quiet">
        {[
          gateway.state === 'CONNECTED' && 'Uploading',
          running && `Stage ${ended + 1} of ${processors.length}: ${running.processorId}`,
          !running && gateway.state !== 'CONNECTED' && 'Waiting for a free worker',
          isHearing && heard !== null && `${clockTime(heard)}${length === null ? '' : ` of ${clockTime(length)}`} transcribed`,
          left !== null && `about ${duration(left)} left in this stage`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  );
};

// Before that, a few results say too little about the pace.
const WATCHED_MILLISECONDS = 2_000;

/** From the pace observed by this page, so that the clocks of server and browser need not agree. Milliseconds; `null` if unknown. */
const useTimeLeft = (stage: string, part: number | null): number | null => {
  const first = useRef<{ readonly stage: string; readonly part: number; readonly at: number } | null>(null);
  if (part === null) return null;
  const now = performance.now();
  if (first.current?.stage !== stage) first.current = { stage, part, at: now };
  const { part: before, at } = first.current;
  if (part <= before || now - at < WATCHED_MILLISECONDS) return null;
  return Math.round(((1 - part) * (now - at)) / (part - before) / 1000) * 1000;
};
