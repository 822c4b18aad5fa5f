import { useState } from 'preact/hooks';
import type { Stream } from '../../../api/types.ts';
import { CopyText } from '../../../parts/CopyText.tsx';
import { Cost } from '../../../parts/Cost.tsx';
import { Pager } from '../../../parts/DataTable.tsx';
import { duration } from '../../../parts/format.ts';
import { Loaded } from '../../../parts/Notes.tsx';
import { Card } from '../../../parts/Page.tsx';
import { StateBadge } from '../../../parts/StateBadge.tsx';
import { TRANSCRIPTION } from '../../../results/results.ts';
import { href } from '../../../shell/place.ts';
import { type Attempt, type AttemptPage, rangeOf, type Segment, STATE_WORDS, type Stage, segmentsOf } from './attempts.ts';
import { StageDetail } from './StageDetail.tsx';
import type { Attempts } from './useAttempts.ts';
import { useNow } from './useNow.ts';

interface RunTimelineProps {
  readonly stream: Stream;
  readonly attempts: Attempts;
}

/** Every attempt of a stream with the runs of its stages as bars, newest first; live while it runs. */
export const RunTimeline = ({ stream, attempts }: RunTimelineProps) => {
  const { streamId, state } = stream;
  const now = useNow(state === 'READY');
  return (
    <Card title="Timeline" actions={<Legend />}>
      <Loaded resource={attempts.resource}>
        {(found) => (
          <div class="stack">
            {found.content.map((one) => (
              <AttemptBars
                key={one.attempt}
                {...{ streamId, now }}
                attempt={one}
                isOnly={found.totalElements === 1}
                hasEarlierTranscript={state !== 'EXPIRED' && hasReplacedTranscript(one, found)}
              />
            ))}
            <Pager page={found} onPage={attempts.setPage} />
          </div>
        )}
      </Loaded>
    </Card>
  );
};

const KINDS: readonly (readonly [Segment['kind'], string])[] = [
  ['queued', 'Queued'],
  ['running', 'Running'],
  ['waiting', 'Waiting for an engine'],
  ['done', 'Done'],
  ['failed', 'Failed'],
];

const Legend = () => (
  <ul class="run-legend small quiet">
    {KINDS.map(([kind, shown]) => (
      <li key={kind}>
        <span class={`run-swatch ${kind}`} /> {shown}
      </li>
    ))}
  </ul>
);

/** On a later page, the attempts that may have replaced it are not known. */
const hasReplacedTranscript = ({ attempt, stages }: Attempt, { content, number }: AttemptPage): boolean =>
  stages.some(madeTranscript) && (number > 0 || content.some((one) => one.attempt > attempt && one.stages.some(madeTranscript)));

const madeTranscript = ({ state, output }: Stage): boolean => state === 'COMPLETED' && output.messageSchema === TRANSCRIPTION;

interface AttemptBarsProps {
  readonly streamId: string;
  readonly attempt: Attempt;
  readonly isOnly: boolean;
  /** A transcript that a later attempt may have replaced. */
  readonly hasEarlierTranscript: boolean;
  readonly now: number;
}

const AttemptBars = ({ streamId, attempt, isOnly, hasEarlierTranscript, now }: AttemptBarsProps) => {
  const { from, to } = rangeOf(attempt, now);
  const { attempt: number, state, reason, credits, traceId } = attempt;
  return (
    <section class="run-attempt" aria-label={`Attempt ${number}`}>
      <header class="run-head">
        <h3>
          Attempt {number}
          {attempt.from !== null && <span class="quiet"> from {attempt.from}</span>}
        </h3>
        <StateBadge state={state} />
        <span class="quiet small">
          {duration(to - from)} · <Cost credits={credits} />
        </span>
        <span class="small">
          <span class="quiet">Trace </span>
          <CopyText text={traceId} label="trace id" shown={traceId.slice(0, 8)} />
        </span>
        {hasEarlierTranscript && (
          <a class="small" href={href(['streams', streamId], { attempt: number })}>
            Show its transcript
          </a>
        )}
        {reason !== null && <span class="quiet small run-reason">{reason}</span>}
      </header>
      <ol class="run-bars">
        {attempt.stages.map((stage) => (
          <StageBar
            key={stage.processorId}
            {...{ streamId, number, stage, from, to, now }}
            isOpenAtFirst={isOnly && stage.state === 'FAILED'}
          />
        ))}
      </ol>
    </section>
  );
};

interface StageBarProps {
  readonly streamId: string;
  readonly number: number;
  readonly stage: Stage;
  readonly from: number;
  readonly to: number;
  readonly now: number;
  readonly isOpenAtFirst: boolean;
}

const StageBar = ({ streamId, number, stage, from, to, now, isOpenAtFirst }: StageBarProps) => {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const segments = segmentsOf(stage, now);
  const ran = segments.find(({ kind }) => kind !== 'queued' && kind !== 'waiting');
  const percent = (time: number) => (100 * (Math.max(from, Math.min(time, to)) - from)) / (to - from);
  return (
    <li>
      <button type="button" class="run-bar row-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="run-name">{stage.processorId}</span>
        <span class="run-state quiet small">
          {STATE_WORDS[stage.state]}
          {ran && `, ${duration(ran.to - ran.from)}`}
        </span>
        <span class="run-track" aria-hidden="true">
          {segments.map(({ kind, from: begin, to: end }) => (
            <span
              key={`${kind} ${begin}`}
              class={`run-segment ${kind}`}
              style={{ left: `${percent(begin)}%`, width: `${percent(end) - percent(begin)}%` }}
            />
          ))}
        </span>
      </button>
      {isOpen && <StageDetail streamId={streamId} attempt={number} stage={stage} />}
    </li>
  );
};
