import type { StreamConfigurationTemplate } from '../templates/template.ts';
import { MESSAGE_SCHEMAS } from './messages.ts';
import type { OperationType } from './streamConfiguration.ts';

/** Processors that read audio: callers may send a link instead of bytes. */
const MEDIA_OPERATIONS: ReadonlySet<OperationType> = new Set([
  'BATCH_TRANSCRIPTION',
  'REAL_TIME_TRANSCRIPTION',
  'SPEAKERS_DIARIZATION',
  'VOICE_ACTIVITY_DETECTION',
  'TRANSCODE',
]);

/** Whether a template takes media: bytes, read by at least one audio processor. */
export const takesMedia = ({ dataSourceSchema, processors }: StreamConfigurationTemplate): boolean =>
  dataSourceSchema === MESSAGE_SCHEMAS.bytes &&
  processors.some(
    ({ previousProcessorId, processorDeclaration }) =>
      previousProcessorId === null && MEDIA_OPERATIONS.has(processorDeclaration.operationType),
  );
