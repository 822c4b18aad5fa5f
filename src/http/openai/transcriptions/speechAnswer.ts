import type { Transcript, Utterance } from '../../../results/transcript.ts';
import { invalidField, type OpenAiProblem } from '../../errors/openAiErrors.ts';
import { exportSrt, exportVtt, hasCaptions } from '../../export/captions/captions.ts';
import { speakerOf } from '../../export/formats/speakers.ts';
import type { ApiResponse } from '../../route/route.ts';
import { durationOf, type FinishedSpeech } from './finishedSpeech.ts';
import type { SpeechRequest } from './speechRequest.ts';
import { languageName, segmentOf, wordOf } from './verboseAnswer.ts';

const NOTHING: Transcript = { transcription: { text: '', words: [] }, utterances: [] };

/** An answer in the requested format. Throws if that is captions and the text has no times. */
export const speechAnswer = ({ document, results }: FinishedSpeech, request: SpeechRequest): ApiResponse => {
  const transcript = results.transcript ?? NOTHING;
  const text = transcript.transcription.text.trim();
  const duration = durationOf(document, transcript.utterances.at(-1)?.end);
  const usage = usageOf(duration);
  switch (request.format) {
    case 'json':
      return { status: 200, body: { text, usage } };
    case 'text':
      return plain(`${text}\n`);
    case 'srt':
    case 'vtt': {
      if (text !== '' && !hasCaptions([results])) throw withoutTimes(request.format);
      return plain((request.format === 'srt' ? exportSrt : exportVtt)([results]));
    }
    case 'verbose_json':
      return { status: 200, body: verbose(transcript, request, { text, duration, usage }) };
    case 'diarized_json': {
      const speakers = new SpeakerNames(request.speakerNames);
      const segments = transcript.utterances.map((utterance, index) => speakerSegment(utterance, index, speakers));
      return { status: 200, body: { task: request.task, duration, text, segments, usage } };
    }
  }
};

const plain = (body: string): ApiResponse => ({ status: 200, contentType: 'text/plain; charset=utf-8', body });

/** Empty captions would look like silence. */
const withoutTimes = (format: 'srt' | 'vtt'): OpenAiProblem =>
  invalidField(
    'response_format',
    `The speech engine returned text without times, so there are no captions in ${format}. Use json or text as response_format.`,
  );

export const usageOf = (seconds: number) => ({ type: 'duration', seconds });

/** Gives speakers the known names in the order in which they appear. Further speakers keep their letters. */
export class SpeakerNames {
  readonly #left: string[];
  readonly #names = new Map<string, string>();

  constructor(names: readonly string[]) {
    this.#left = [...names];
  }

  nameOf(speaker: string): string {
    const name = this.#names.get(speaker) ?? this.#left.shift() ?? speaker;
    this.#names.set(speaker, name);
    return name;
  }
}

/** `TranscriptionDiarizedSegment` of the OpenAI clients, and the event of the same type. */
export const speakerSegment = (utterance: Utterance, index: number, speakers: SpeakerNames) => ({
  type: 'transcript.text.segment',
  id: `seg_${index}`,
  start: (utterance.start ?? 0) / 1_000,
  end: (utterance.end ?? 0) / 1_000,
  speaker: speakers.nameOf(speakerOf(utterance) ?? 'A'),
  text: utterance.text.trim(),
});

const verbose = (
  { transcription, utterances }: Transcript,
  request: SpeechRequest,
  { text, duration, usage }: { text: string; duration: number; usage: ReturnType<typeof usageOf> },
): object => ({
  task: request.task,
  language: request.task === 'translate' ? 'english' : languageName(transcription.words, request.language),
  duration,
  text,
  ...(request.granularities.includes('segment') && { segments: utterances.map((utterance, id) => segmentOf(utterance, id, request)) }),
  ...(request.granularities.includes('word') && { words: transcription.words.map(wordOf) }),
  usage,
});
