import { UPLOAD_MAX_BYTES } from '../../api/serverSettings.ts';
import type { Template } from '../../api/types.ts';
import { bytes } from '../../parts/format.ts';

const SOUND_OPERATIONS: ReadonlySet<string> = new Set([
  'BATCH_TRANSCRIPTION',
  'REAL_TIME_TRANSCRIPTION',
  'SPEAKERS_DIARIZATION',
  'VOICE_ACTIVITY_DETECTION',
  'TRANSCODE',
]);

const firstOperations = ({ processors }: Template): readonly string[] =>
  processors.filter(({ previousProcessorId }) => previousProcessorId === null).map((one) => one.processorDeclaration.operationType);

/** Whether the template hears recordings: bytes, read by a processor that works on sound. The server fetches links only for these. */
export const takesSound = (template: Template): boolean =>
  template.dataSourceSchema === 'bytes' && firstOperations(template).some((operation) => SOUND_OPERATIONS.has(operation));

/** Whether the template gives captions during speech. */
export const isLive = (template: Template): boolean => firstOperations(template).includes('REAL_TIME_TRANSCRIPTION');

/** The formats and the size that the template takes, in a sentence or two. */
export const acceptedIn = (template: Template): string => {
  const limit = UPLOAD_MAX_BYTES === null ? '' : ` Up to ${bytes(UPLOAD_MAX_BYTES)} each.`;
  if (template.dataSourceSchema === 'string') return `Text files in UTF-8.${limit}`;
  if (!takesSound(template)) return `Files of any format.${limit}`;
  return `WAV, MP3, M4A, AAC, FLAC, OGG, Opus, WebM, AMR, AIFF, WMA; of MP4, MOV, MKV and AVI videos the sound.${limit}`;
};

/** Why the server would refuse the file; `null` if it takes it. */
export const refusalOf = ({ name, size }: File): string | null => {
  if (size === 0) return `${name} is empty. Remove it.`;
  if (UPLOAD_MAX_BYTES === null || size <= UPLOAD_MAX_BYTES) return null;
  return `${name} has ${bytes(size)}, but the server takes at most ${bytes(UPLOAD_MAX_BYTES)}. Remove it, or ask the operator to raise UPLOAD_MAX_BYTES.`;
};

// Pre-recorded transcription.
const FIRST_TEMPLATE = '668115d123bca7e3509723d4';

/** The template to begin with: transcription, if this server can run it; else the first that it can run. */
export const firstOf = (templates: readonly Template[]): Template | undefined => {
  const canRun = templates.filter(({ runnable }) => runnable.ok);
  return canRun.find(({ id }) => id === FIRST_TEMPLATE) ?? canRun[0] ?? templates[0];
};
