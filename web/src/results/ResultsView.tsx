import { useState } from 'preact/hooks';
import { Card } from '../parts/Page.tsx';
import type { Answer, Results, Utterance } from './results.ts';
import { SentimentView } from './SentimentView.tsx';
import { ConfidenceLegend, Transcript } from './Transcript.tsx';

interface ResultsViewProps {
  readonly results: Results;
  /** What was asked, by the id of the prompt. */
  readonly questions?: Readonly<Record<string, string>>;
  readonly audio?: HTMLAudioElement | null;
  /** More is coming. */
  readonly live?: boolean;
}

/** Everything that a stream has given so far, each in a card of its own; what it has not given is left out. */
export const ResultsView = ({ results, questions = {}, audio = null, live = false }: ResultsViewProps) => {
  const { utterances, tentative, enhanced, summaries, answers, segments, sentiment } = results;
  return (
    <>
      {(utterances.length > 0 || tentative) && (
        <TranscriptCard heard={utterances} enhanced={enhanced} tentative={tentative} audio={audio} live={live} />
      )}
      {summaries.length > 0 && (
        <Card title="Summary">
          {summaries.map((summary) => (
            <p key={summary} class="prose">
              {summary}
            </p>
          ))}
        </Card>
      )}
      {answers.length > 0 && (
        <Card title="Answers">
          <Answers answers={answers} questions={questions} />
        </Card>
      )}
      {segments.length > 0 && (
        <Card title="Sentiment">
          <SentimentView segments={segments} summary={sentiment} />
        </Card>
      )}
    </>
  );
};

interface TranscriptCardProps {
  readonly heard: readonly Utterance[];
  readonly enhanced: readonly Utterance[] | null;
  readonly tentative: string;
  readonly audio: HTMLAudioElement | null;
  readonly live: boolean;
}

const TranscriptCard = ({ heard, enhanced, tentative, audio, live }: TranscriptCardProps) => {
  const [isEnhanced, setEnhanced] = useState(false);
  return (
    <Card
      title="Transcript"
      actions={
        enhanced ? (
          <fieldset class="switch">
            <legend class="visually-hidden">Form of the transcript</legend>
            {[false, true].map((one) => (
              <label key={String(one)}>
                <input type="radio" name="enhanced" checked={one === isEnhanced} onChange={() => setEnhanced(one)} />
                {one ? 'Enhanced' : 'As heard'}
              </label>
            ))}
          </fieldset>
        ) : (
          live && <span class="badge busy">Live</span>
        )
      }
    >
      <Transcript utterances={isEnhanced && enhanced ? enhanced : heard} tentative={tentative} audio={audio} />
      <ConfidenceLegend />
    </Card>
  );
};

interface AnswersProps {
  readonly answers: readonly Answer[];
  readonly questions: Readonly<Record<string, string>>;
}

const Answers = ({ answers, questions }: AnswersProps) => (
  <dl class="answers">
    {answers.map(({ promptId, content }) => (
      <div key={promptId}>
        <dt>{questions[promptId] ?? numbered(promptId)}</dt>
        <dd class="prose">{content}</dd>
      </div>
    ))}
  </dl>
);

/** The first is "0" to the API, and "Question 1" in the form. */
const numbered = (promptId: string): string => (/^\d+$/.test(promptId) ? `Question ${Number(promptId) + 1}` : promptId);
