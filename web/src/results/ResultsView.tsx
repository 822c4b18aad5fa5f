import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Note } from '../parts/Notes.tsx';
import { Card } from '../parts/Page.tsx';
import { shownUtterances } from './editing/transcript.ts';
import type { Editing } from './editing/useEditing.ts';
import { isOffline, type Origin, originInWords } from './origins.ts';
import type { Answer, Results, Utterance } from './results.ts';
import { SentimentView } from './SentimentView.tsx';
import { isOtherLanguage } from './sourceLanguage.ts';
import type { Reading } from './transcript/Block.tsx';
import { Transcript } from './transcript/Transcript.tsx';

interface ResultsViewProps {
  readonly results: Results;
  /** The questions, by prompt id. */
  readonly questions?: Readonly<Record<string, string>>;
  readonly audio?: HTMLAudioElement | null;
  /** More results will follow. */
  readonly live?: boolean;
  /** Above the transcript: what plays the recording, or the text that was uploaded. */
  readonly above?: VNode | false | null;
  /** Above what was made of the transcript. */
  readonly note?: VNode | null;
  readonly momentAt?: Reading['momentAt'];
  readonly openedAt?: number | null;
  /** Searched in the transcript at first. */
  readonly find?: string;
  /** The transcript with its corrections, once it is read. */
  readonly editing?: Editing | null;
}

/** The results of a stream so far: the transcript, and what was made of it beside it. */
export const ResultsView = ({
  results,
  questions = {},
  audio = null,
  live = false,
  above = null,
  note = null,
  ...opened
}: ResultsViewProps) => {
  const { utterances, tentative, enhanced, summaries, answers, segments, origins } = results;
  const hasTranscript = utterances.length > 0 || tentative !== '';
  const main = (
    <>
      {above}
      {hasTranscript && <TranscriptCard heard={utterances} {...{ enhanced, tentative, audio, live, origins, ...opened }} />}
    </>
  );
  const hasMain = hasTranscript || Boolean(above);
  if (summaries.length + answers.length + segments.length === 0) return hasMain ? main : null;
  const made = (
    <>
      {note}
      <Made results={results} questions={questions} />
    </>
  );
  if (!hasMain) return made;
  return (
    <div class="columns">
      <div class="stack">{main}</div>
      <div class="stack">{made}</div>
    </div>
  );
};

/** What was made of the transcript or the text. */
const Made = ({ results, questions }: { readonly results: Results; readonly questions: Readonly<Record<string, string>> }) => {
  const { utterances, summaries, answers, segments, sentiment, origins, languages } = results;
  // The extracts are sentences of the text. The other texts are longer, so they say more about its language.
  const texts = [utterances, segments].find((parts) => parts.length > 0)?.map(({ text }) => text) ?? summaries;
  const isOther = isOtherLanguage(languages, texts);
  return (
    <>
      {summaries.length > 0 && (
        <Card title="Summary">
          <Origins origins={origins.summary} />
          {isOther && isOffline(origins.summary, 'extractive') && <ForeignExtract />}
          {summaries.map((summary) => (
            <p key={summary} class="prose">
              {summary}
            </p>
          ))}
        </Card>
      )}
      {answers.length > 0 && (
        <Card title="Answers">
          <Origins origins={origins.answers} />
          {isOther && isOffline(origins.answers, 'extractive') && <ForeignExtract />}
          <Answers answers={answers} questions={questions} />
        </Card>
      )}
      {segments.length > 0 && (
        <Card title="Sentiment">
          <Origins origins={origins.sentiment} />
          {isOther && isOffline(origins.sentiment, 'lexicon') && (
            <Note tone="warn">
              This text does not seem to be all in English. The word list knows English only, so these ratings mean little.
            </Note>
          )}
          <SentimentView segments={segments} summary={sentiment} />
        </Card>
      )}
    </>
  );
};

const ForeignExtract = () => (
  <Note tone="warn">
    This text does not seem to be all in English. The extract follows rules for English, so it may miss important sentences.
  </Note>
);

/** The origin of a result, and its warnings. */
const Origins = ({ origins }: { readonly origins: readonly Origin[] }) =>
  origins.length === 0 ? null : (
    <>
      <ul class="plain small quiet origins">
        {origins.map((origin) => (
          <li key={originInWords(origin)}>{originInWords(origin)}</li>
        ))}
      </ul>
      {[...new Set(origins.flatMap(({ warnings }) => warnings))].map((warning) => (
        <Note key={warning} tone="warn">
          {warning}
        </Note>
      ))}
    </>
  );

interface TranscriptCardProps {
  readonly heard: readonly Utterance[];
  readonly enhanced: readonly Utterance[] | null;
  readonly tentative: string;
  readonly audio: HTMLAudioElement | null;
  readonly live: boolean;
  readonly origins: Results['origins'];
  readonly momentAt?: Reading['momentAt'];
  readonly openedAt?: number | null;
  readonly find?: string;
  readonly editing?: Editing | null;
}

const TranscriptCard = ({ heard, enhanced, tentative, audio, live, origins, editing = null, ...opened }: TranscriptCardProps) => {
  const corrected = useMemo(() => editing && shownUtterances(editing.transcript), [editing?.transcript]);
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
      <Origins origins={isEnhanced && enhanced ? origins.enhanced : origins.transcript} />
      {editing && !editing.isOn && !isEnhanced && editing.transcript.speakers.some(({ name }) => name === null) && (
        <p class="hint">Choose a speaker to name them. “Edit” corrects words, and shows who says each line.</p>
      )}
      {editing?.isOn && !isEnhanced && (
        <p class="hint">
          Choose a word to correct its line, or a speaker to change who says it. What you write is saved when you leave the line.
        </p>
      )}
      <Transcript
        utterances={isEnhanced && enhanced ? enhanced : (corrected ?? heard)}
        {...{ tentative, audio, ...opened }}
        editing={isEnhanced ? null : editing}
      />
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
