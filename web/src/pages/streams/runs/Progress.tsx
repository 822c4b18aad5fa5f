import { useRef } from 'preact/hooks';
import { stageNameOf, useTemplates } from '../../../api/templates.ts';
import type { Stream, StreamComponents } from '../../../api/types.ts';
import { clockTime, duration } from '../../../parts/format.ts';
import { Note } from '../../../parts/Notes.tsx';
import { Time } from '../../../parts/Time.tsx';
import type { Results } from '../../../results/results.ts';
import type { Stage } from './attempts.ts';
import { useNow } from './useNow.ts';

interface ProgressProps {
  readonly stream: Stream;
  readonly components: StreamComponents;
  readonly results: Results;
  /** The stages of the newest attempt; empty before they are read. */
  readonly stages: readonly Stage[];
}

/** The progress of a running stream, its remaining time if it can be estimated, and whether it waits for an engine. */
export const Progress = ({ stream, components, results, stages }: ProgressProps) => {
  const templates = useTemplates();
  const { gateway, processors } = components;
  const running = processors.find(({ state }) => state === 'RUNNING');
  const stage = stages.find(({ processorId }) => processorId === running?.processorId);
  const heard = results.utterances.at(-1)?.end ?? null;
  // Later stages run on the finished transcript: how far they are is not known.
  const isHearing = running !== undefined && processors.findIndex(({ state }) => state !== 'COMPLETED') === 0;
  const length = isHearing && gateway.state === 'CLOSED' ? results.recordingLength : null;
  const part = length === null || heard === null ? null : Math.min(1, heard / length);
  const left = useTimeLeft(running?.processorId ?? '', part);
  const ended = processors.filter(({ state }) => state === 'COMPLETED').length;
  const wait = stage?.state === 'WAITING_FOR_ENGINE' ? stage.waits.at(-1) : undefined;
  return (
    <>
      {stage && wait && <EngineWait stage={stage} wait={wait} />}
      <div class="progress" role="group" aria-label="Progress">
        {part === null ? (
          <progress aria-label="Progress of the stream" />
        ) : (
          <progress value={part} max={1} aria-label="Progress of the stream" />
        )}
        <span class="quiet">
          {[
            gateway.state === 'CONNECTED' && 'Uploading',
            running && `${stageNameOf(templates.data, stream, running.processorId)} (${ended + 1} of ${processors.length})`,
            !running && gateway.state !== 'CONNECTED' && 'Waiting for a free worker',
            isHearing && heard !== null && `${clockTime(heard)}${length === null ? '' : ` of ${clockTime(length)}`} transcribed`,
            left !== null && `about ${duration(left)} left in this stage`,
          ]
            .filter(Boolean)
            .join(' · ')}
          {stage?.state === 'RUNNING' && gateway.state === 'CLOSED' && part === null && <Unmeasured stage={stage} />}
        </span>
      </div>
    </>
  );
};

/** Since when the stream waits, and that it continues by itself. */
const EngineWait = ({ stage, wait }: { readonly stage: Stage; readonly wait: Stage['waits'][number] }) => (
  <Note tone="warn">
    <strong>
      {stage.processorId} has been waiting for its engine since <Time at={wait.since} exact />.
    </strong>{' '}
    {wait.reason} It continues by itself when the engine is back. Nothing is lost: the upload and all results so far are stored.
  </Note>
);

// The engine of the transcribers on a speech server, which answers with the whole transcript.
const SPEECH_SERVER = 'speech-server';

/** Running time of a stage whose progress is not known. */
const Unmeasured = ({ stage: { startedTimestamp, engine } }: { readonly stage: Stage }) => {
  const now = useNow(true);
  if (startedTimestamp === null) return null;
  return (
    <>
      {` · running for ${duration(Math.max(0, Math.floor((now - Date.parse(startedTimestamp)) / 1000) * 1000))}`}
      {engine?.name === SPEECH_SERVER && ' · the speech server gives all results at the end, so the time left is not known'}
    </>
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
