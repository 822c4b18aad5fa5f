import { isDeclared } from '../processorDeclarations/declaration.ts';
import { newestRuns } from './attempts.ts';
import type { FailureCause } from './failureCauses.ts';
import type { StreamAggregate } from './state.ts';

type ErrorName =
  | 'PROCESSOR_TRANSCODING_ERROR'
  | 'PROCESSOR_TRANSCRIPTION_ERROR'
  | 'PROCESSOR_FEATURE_ERROR'
  | 'PROCESSOR_PROPERTIES_VALIDATION_ERROR';

type Reason = FailureCause | ErrorName | 'CANCELED' | 'UPLOAD_FAILED' | 'OWN_PROCESSOR' | 'HAS_NOT_RUN' | 'OTHER';

interface Facts {
  /** Such as `run the stream again`. */
  readonly repeat: string;
  /** Such as `run the stream again from llm`. */
  readonly again: string;
  readonly stage: string;
}

/** What the owner of a failed stream does next: one or two sentences. */
const ADVICE: Readonly<Record<Reason, (facts: Facts) => string>> = {
  CANCELED: ({ again }) => `To process it after all, ${again}.`,
  UPLOAD_FAILED: () => 'Upload it again.',
  LINK_FAILED: () => 'Check the link in a browser, then upload it again.',
  TOO_LARGE: () => 'Upload a smaller file, or ask the operator for a higher limit (UPLOAD_MAX_BYTES).',
  TOO_LONG: () =>
    'Split it into shorter parts and upload them, or ask the operator for a higher limit (MEDIA_MAX_SECONDS for recordings, LLM_MAX_CHARACTERS for texts).',
  NOT_TEXT: () => 'For a recording, choose a transcription template.',
  ENGINE_AWAY: ({ again }) => `When the engine is back, ${again}.`,
  SERVER_INCOMPLETE: ({ again }) => `Ask the operator to run "npm run setup" on the server, then ${again}.`,
  PROCESSOR_TRANSCODING_ERROR: () => 'Check that the recording plays. Convert it to WAV or MP3 and upload it again.',
  PROCESSOR_TRANSCRIPTION_ERROR: ({ again }) => `Ask the operator to check the speech engine, then ${again}.`,
  PROCESSOR_FEATURE_ERROR: ({ repeat, again, stage }) =>
    `Switch the feature off in the properties of ${stage} when you ${repeat}. To use it, ask the operator to enable it, then ${again}.`,
  PROCESSOR_PROPERTIES_VALIDATION_ERROR: ({ repeat, stage }) => `Correct the properties of ${stage} when you ${repeat}.`,
  OWN_PROCESSOR: ({ again }) => `Repair the processor, then ${again}.`,
  HAS_NOT_RUN: ({ again }) => `${again.charAt(0).toUpperCase()}${again.slice(1)}.`,
  OTHER: ({ again }) => `To repeat the stage, ${again}. If it fails again, give the trace id of the attempt to the operator.`,
};

const isErrorName = (name: string): name is ErrorName => Object.hasOwn(ADVICE, name);

/** Only a complete upload that is still kept can be run again. */
const adviceFor = (reason: Reason, { upload, stream }: StreamAggregate, stage = ''): string => {
  const canRun = upload.state === 'completed' && stream.state !== 'EXPIRED';
  const repeat = canRun ? 'run the stream again' : 'upload the file again';
  return ADVICE[reason]({ stage, repeat, again: canRun && stage !== '' ? `${repeat} from ${stage}` : repeat });
};

export interface StageFailure {
  readonly processorId: string;
  readonly declarationId: string;
  readonly errorName: string;
  readonly cause: FailureCause | null;
}

/** What to do about a stage that failed. */
export const adviceOnStage = (stream: StreamAggregate, { processorId, declarationId, errorName, cause }: StageFailure): string => {
  const reason = cause ?? (isDeclared(declarationId) ? 'OWN_PROCESSOR' : isErrorName(errorName) ? errorName : 'OTHER');
  return adviceFor(reason, stream, processorId);
};

/** What to do about a stream that failed, also once its data are deleted; `null` for any other. */
export const adviceOnStream = (aggregate: StreamAggregate): string | null => {
  if (aggregate.attempts.at(-1)?.state !== 'FAILED') return null;
  if (aggregate.canceled) return adviceFor('CANCELED', aggregate);
  if (aggregate.upload.state === 'failed') return adviceFor(aggregate.upload.cause ?? 'UPLOAD_FAILED', aggregate);
  const runs = newestRuns(aggregate);
  const failed = runs.find(({ state }) => state === 'ERROR');
  if (failed) {
    const { processorId, errorName, cause = null } = failed;
    const declarationId = aggregate.chain.find((link) => link.processorId === processorId)?.declarationId ?? '';
    return adviceOnStage(aggregate, { processorId, declarationId, errorName: errorName ?? '', cause });
  }
  return adviceFor('HAS_NOT_RUN', aggregate, runs.find(({ state }) => state === 'CLOSED')?.processorId);
};
