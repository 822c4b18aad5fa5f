import { inSteps } from '../../../supervision/ownTurn.ts';
import { exportSrt, exportVtt, hasCues } from '../../export/captions.ts';
import { answerInPieces, jsonParts, slicesOf, trimmed } from '../../export/steps.ts';
import { speakerOf } from '../../export/text.ts';
import type { Transcript, Utterance } from '../../export/transcript.ts';
import type { ApiResponse } from '../../server/route.ts';
import { invalidField, type OpenAiProblem } from '../openAiErrors.ts';
import { durationOf, type FinishedSpeech } from './finishedSpeech.ts';
import type { SpeechRequest } from './speechRequest.ts';
import { languageName, segmentsOf, wordsOf } from './verboseAnswer.ts';

const NOTHING: Transcript = { transcription: { text: '', words: [] }, utterances: [] };
const PLAIN = 'text/plain; charset=utf-8';

/** An answer in the requested format. Throws if that is captions and the text has no times. */
export const speechAnswer = async (finished: FinishedSpeech, request: SpeechRequest): Promise<ApiResponse> => {
  const { results } = finished;
  const transcript = results.transcript ?? NOTHING;
  const text = await inSteps(trimmed(transcript.transcription.text));
  const duration = durationOf(finished.document, transcript.utterances.at(-1)?.end);
  const usage = usageOf(duration);
  if ((request.format === 'srt' || request.format === 'vtt') && text !== '' && !(await inSteps(hasCues([results]))))
    throw withoutTimes(request.format);
  switch (request.format) {
    case 'json':
      return json({ text, usage });
    case 'text':
      return answerInPieces(PLAIN, slicesOf(`${text}\n`));
    case 'srt':
      return answerInPieces(PLAIN, exportSrt([results]));
    case 'vtt':
      return answerInPieces(PLAIN, exportVtt([results]));
    case 'verbose_json':
      return json(await verbose(transcript, request, { text, duration, usage }));
    case 'diarized_json':
      return json({ task: request.task, duration, text, segments: speakerSegments(transcript.utterances), usage });
  }
};

const json = (value: object): Promise<ApiResponse> => answerInPieces('application/json', jsonParts(value));

/** Empty captions would look like silence. */
const withoutTimes = (format: 'srt' | 'vtt'): OpenAiProblem =>
  invalidField(
    'response_format',
    `The speech engine returned text without times, so there are no captions in ${format}. Use json or text as response_format.`,
  );

export const usageOf = (seconds: number) => ({ type: 'duration', seconds });

/** `TranscriptionDiarizedSegment` of the OpenAI clients, and the event of the same type. */
export const speakerSegment = (utterance: Utterance, index: number) => ({
  type: 'transcript.text.segment',
  id: `seg_${index}`,
  start: (utterance.start ?? 0) / 1_000,
  end: (utterance.end ?? 0) / 1_000,
  speaker: speakerOf(utterance) ?? 'A',
  text: utterance.text.trim(),
});

function* speakerSegments(utterances: readonly Utterance[]): Generator<object> {
  for (const [index, utterance] of utterances.entries()) yield speakerSegment(utterance, index);
}

const verbose = async (
  { transcription, utterances }: Transcript,
  request: SpeechRequest,
  { text, duration, usage }: { text: string; duration: number; usage: ReturnType<typeof usageOf> },
): Promise<object> => ({
  task: request.task,
  language: request.task === 'translate' ? 'english' : await inSteps(languageName(transcription.words, request.language)),
  duration,
  text,
  ...(request.granularities.includes('segment') && { segments: segmentsOf(utterances, request) }),
  ...(request.granularities.includes('word') && { words: wordsOf(transcription.words) }),
  usage,
});
