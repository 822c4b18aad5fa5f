import { Problem } from '../../domain/problem.ts';
import { type Diarization, MESSAGE_SCHEMAS, type Transcription } from '../../domain/stream/messages.ts';
import type { Warning } from '../../domain/stream/warnings.ts';
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

/** With its verb. */
const saidOf = ({ least, most }: SpeakerBounds): string => {
  if (least === most) return `exactly ${least} ${least === 1 ? 'was' : 'were'}`;
  if (least === 1) return `at most ${most} ${most === 1 ? 'was' : 'were'}`;
  return `${most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`} were`;
};

/**
 * Names the speakers: by channel if the channels were transcribed separately, otherwise as the speech engine separates the voices. Passes the
 * transcription through with `speakers` and `speakersOverlap` in the metadata of its words, and adds a Diarization message for each utterance.
 * Warns if the number of speakers differs from the expected one.
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
      ? `Split by channel there are two speakers, but ${saidOf(bounds)} asked for. Send splitStereo=false, or set TRANSCRIBER_URL.`
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
  const warning = warningOf(speakers.count, bounds);
  for (const done of overlaps.rest()) await pass(warning ? withWarning(done, warning) : done, output);
  if (speakers.count === 0 && speakers.unknown) {
    throw failed(
      'The transcription tells no speakers: use splitStereo, or a speech server and model that returns speakers (TRANSCRIBER_MODEL).',
    );
  }
  return {};
};

const warningOf = (count: number, bounds: SpeakerBounds): Warning | null => {
  if (count === 0 || (count >= bounds.least && count <= bounds.most)) return null;
  const found = count === 1 ? '1 speaker was' : `${count} speakers were`;
  return { code: 'SPEAKERS_DIFFER', message: `${found} told apart in the recording, and ${saidOf(bounds)} expected.` };
};

/** Added to the last utterances: only then are all speakers known. */
const withWarning = ({ transcription, words }: NamedUtterance, { code, message }: Warning): NamedUtterance => {
  const { metadata } = transcription;
  const earlier = Array.isArray(metadata.warnings) ? metadata.warnings : [];
  return { transcription: { ...transcription, metadata: { ...metadata, warnings: [...earlier, { code, message }] } }, words };
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
