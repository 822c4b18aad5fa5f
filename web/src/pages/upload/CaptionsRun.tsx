import { clockTime } from '../../parts/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import { Empty, ErrorNote, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { ResultsView } from '../../results/ResultsView.tsx';
import { isEmpty, resultsOf } from '../../results/results.ts';
import { href } from '../../shell/place.ts';
import { type Job, sinkSourcesOf, titleOf } from './job.ts';
import { useElapsed } from './Recorder.tsx';
import { type Captions, useCaptions } from './useCaptions.ts';

/** Shows speech from the microphone as it is recognised. */
export const CaptionsRun = ({ job, onAgain }: { readonly job: Job; readonly onAgain: () => void }) => {
  const { captions, stop } = useCaptions(job);
  const { state, error, problem, messages } = captions;
  const isOpen = state === 'connecting' || state === 'listening';
  const results = resultsOf(sinkSourcesOf(job.template), messages);
  return (
    <div class="stack">
      <Card title={titleOf(job)} actions={state === 'listening' && <span class="badge busy">Listening</span>}>
        {error && <ErrorNote error={error} />}
        {problem !== null && <Note tone="bad">{problem}</Note>}
        {!error && problem === null && <Progress captions={captions} hasWords={!isEmpty(results)} />}
        <div class="actions run-actions">
          {isOpen ? (
            <button type="button" class="button danger" onClick={stop}>
              <Icon name="stop" /> Stop
            </button>
          ) : (
            <button type="button" class="button" onClick={onAgain}>
              Back to the form
            </button>
          )}
          {(state === 'finishing' || state === 'ended' || (state === 'failed' && messages.length > 0)) && (
            <a class="button primary" href={href(['streams', job.streamId])}>
              Open the stream
            </a>
          )}
        </div>
      </Card>
      <div aria-live="polite">
        <ResultsView results={results} live={isOpen} />
      </div>
      {isEmpty(results) && <NoWords state={state} />}
    </div>
  );
};

/** What to do while there is no transcript, or why there is none. */
const NoWords = ({ state }: { readonly state: Captions['state'] }) => {
  if (state !== 'listening' && state !== 'ended') return null;
  return (
    <Card title="Transcript">
      {state === 'listening' ? (
        <Empty title="Say something.">Captions appear here while you speak.</Empty>
      ) : (
        <Empty title="Nothing was understood.">Check that the microphone is on, then try again.</Empty>
      )}
    </Card>
  );
};

interface ProgressProps {
  readonly captions: Captions;
  readonly hasWords: boolean;
}

const Progress = ({ captions: { state, began }, hasWords }: ProgressProps) => {
  const elapsed = useElapsed(state === 'listening' ? began : null);
  switch (state) {
    case 'connecting':
      return <p role="status">Waiting for the microphone and the server. Allow the microphone if the browser asks.</p>;
    case 'listening':
      return <p>Recording, {clockTime(elapsed)}</p>;
    case 'finishing':
      return <p role="status">The last words are being transcribed.</p>;
    default:
      return hasWords ? <Note tone="good">Transcribed. The stream has the whole transcript.</Note> : null;
  }
};
