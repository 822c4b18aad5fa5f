import { Problem } from '../../domain/problem.ts';
import { type Diarization, MESSAGE_SCHEMAS, type Transcription } from '../../domain/stream/messages.ts';
import type { ProcessorDeclaration } from '../../domain/templates/template.ts';
import type { JsonObject } from '../../json.ts';
import { type Processor, ProcessorError, type ProcessorOutput, type RunContext, type RunReport, type Upstream } from '../processor.ts';
import { type NamedUtterance, OverlapFinder } from './overlap.ts';
import { Speakers } from './speakers.ts';

const NO_SPEAKERS =
  'This server has no engine that tells speakers apart. Run "npm run setup" on it, or transcribe the channels of a stereo recording by themselves (splitStereo=true).';

/** Whether this server's speech engines can return speakers: of a mixed recording, and of each channel. */
export interface SpeakerSources {
  readonly mixed: boolean;
  readonly split: boolean;
}

interface SpeakerBounds {
  readonly least: number;
  readonly most: number;
}

const numberOf = (properties: JsonObject, name: string): number | null => {
  const value = properties[name];
  return typeof value === 'number' ? value : null;
};

const boundsOf = (properties: JsonObject): SpeakerBounds => {
  const exactly = numberOf(properties, 'speakersNumber');
  const least = Math.max(exactly ?? 1, numberOf(properties, 'minSpeakersNumber') ?? 1);
  const most = Math.min(exactly ?? Number.POSITIVE_INFINITY, numberOf(properties, 'maxSpeakersNumber') ?? Number.POSITIVE_INFINITY);
  return { least, most };
};

const saidOf = ({ least, most }: SpeakerBounds): string => {
  if (least === most) return `exactly ${least}`;
  if (least === 1) return `at most ${most}`;
  return most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
};

/**
 * Names the speakers: by channel if the channels were transcribed separately, otherwise as the speech engine separates the voices. Passes the
 * transcription through with `speakers` and `speakersOverlap` in the metadata of its words, and adds a Diarization message for each utterance.
 * Fails if the number of speakers differs from the requested one.
 */
export const diarizationProcessor = (declaration: ProcessorDeclaration, sources: SpeakerSources): Processor => ({
  declaration,
  mode: 'batch',
  unavailable(properties, upstream = []) {
    const bounds = boundsOf(properties);
    if (bounds.least > bounds.most) {
      throw new Problem(
        'PROCESSOR_PROPERTIES_VALIDATION_ERROR',
        'speakersNumber, minSpeakersNumber and maxSpeakersNumber contradict each other.',
      );
    }
    if (bounds.most === 1) return null;
    if (!isSplit(upstream)) return sources.mixed ? null : NO_SPEAKERS;
    if (sources.split) return null;
    return bounds.least > 2
      ? `Split by channel there are two speakers, but ${saidOf(bounds)} were asked for. Send splitStereo=false, or set TRANSCRIBER_URL.`
      : null;
  },
  run: diarize,
});

const isSplit = (upstream: readonly Upstream[]): boolean => upstream.some(({ properties }) => properties.splitStereo === true);

const failed = (message: string) => new ProcessorError('PROCESSOR_SPEAKER_DIARIZATION_ERROR', message);

const diarize = async ({ properties, input, output, signal }: RunContext): Promise<RunReport> => {
  const bounds = boundsOf(properties);
  const speakers = new Speakers(bounds.most === 1);
  const overlaps = new OverlapFinder();
  for await (const { payload, payloadSchema } of input.messages()) {
    signal.throwIfAborted();
    if (payloadSchema !== MESSAGE_SCHEMAS.transcription) continue;
    // Safe cast: the transcribers wrote the message under the schema that it names.
    const named = namedUtterance(payload as unknown as Transcription, speakers);
    for (const done of overlaps.add(named)) await pass(done, output);
  }
  for (const done of overlaps.rest()) await pass(done, output);
  if (speakers.count === 0 && speakers.unknown) {
    throw failed(
      'The transcription tells no speakers: use splitStereo, or a speech server and model that returns speakers (TRANSCRIBER_MODEL).',
    );
  }
  if (speakers.count > 0 && (speakers.count < bounds.least || speakers.count > bounds.most)) {
    const found = speakers.count === 1 ? '1 speaker is' : `${speakers.count} speakers are`;
    throw failed(`${found} told apart in the recording, and ${saidOf(bounds)} were asked for.`);
  }
  return {};
};

const namedUtterance = (transcription: Transcription, speakers: Speakers): NamedUtterance => ({
  transcription,
  words: transcription.words.map((word) => ({ word, speaker: speakers.of(word, transcription), overlap: false })),
});

const pass = async ({ transcription, words }: NamedUtterance, output: ProcessorOutput): Promise<void> => {
  const speakerIds = [...new Set(words.flatMap(({ speaker }) => (speaker === null ? [] : [speaker])))];
  const overlap = words.some((word) => word.overlap);
  const { start, end } = transcription;
  await output.message({
    frameType: 'final',
    payloadSchema: MESSAGE_SCHEMAS.transcription,
    headers: {},
    payload: {
      ...transcription,
      words: words.map(({ word, speaker, overlap: speakersOverlap }) => ({
        ...word,
        metadata: { ...word.metadata, ...(speaker === null ? {} : { speakers: [speaker], speakersOverlap }) },
      })),
    },
  });
  if (speakerIds.length === 0 || start === null || end === null) return;
  const turn: Diarization = { speakerIds, overlap, start, end, metadata: {} };
  await output.message({ frameType: 'final', payloadSchema: MESSAGE_SCHEMAS.diarization, payload: { ...turn }, headers: {} });
};
