import type { StageRun } from '../../../domain/stream/timeline.ts';
import { isDeclared } from '../../../processors/declared/declaredProcessor.ts';

/** What to do about a stage that failed: one or two sentences. */
export const adviceOn = ({ link, waits, failure, endedTimestamp }: StageRun): string => {
  const again = `run the stream again from ${link.processorId}`;
  // It waited until it failed.
  if (waits.length > 0 && waits.at(-1)?.until === endedTimestamp) return `When the engine is back, ${again}.`;
  if (isDeclared(link.declarationId)) return `Repair the processor, then ${again}.`;
  switch (failure?.errorName) {
    case 'PROCESSOR_TRANSCODING_ERROR':
      return 'Check that the recording plays. Convert it to WAV or MP3 and upload it again.';
    case 'PROCESSOR_FEATURE_ERROR':
      return `Ask the operator to enable the feature, or change the properties of ${link.processorId}. Then ${again}.`;
    case 'PROCESSOR_PROPERTIES_VALIDATION_ERROR':
      return `Correct the properties of ${link.processorId} with patches when you ${again}.`;
    default:
      return `To repeat the stage, ${again}. If it fails again, give the trace id to the operator.`;
  }
};
