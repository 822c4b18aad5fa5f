import { describe, expect, test } from 'vitest';
import { adviceOnStage, adviceOnStream } from '../../../src/domain/stream/advice.ts';
import { cancelStream, failUpload } from '../../../src/domain/stream/decisions.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import type { FailureCause } from '../../../src/domain/stream/failureCauses.ts';
import { evolveStream, type StreamAggregate } from '../../../src/domain/stream/state.ts';
import { Timeline } from '../../../src/domain/stream/timeline.ts';
import { failed, link, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const told = (...events: StreamEvent[]): StreamAggregate => {
  const stream = events.reduce<StreamAggregate | null>((state, event) => evolveStream(state, event, TIME), null);
  if (!stream) throw new Error('no event');
  return stream;
};
const then = (stream: StreamAggregate, events: readonly StreamEvent[]): StreamAggregate =>
  events.reduce((state, event) => evolveStream(state, event, TIME), stream);

const created = streamCreated([link('llm', null)]);
const streamFailed: StreamEvent = { type: 'StreamFailed', data: { reason: 'no speech' } };
const expired: StreamEvent = { type: 'StreamExpired', data: { reason: 'deleted' } };
const failedWith = (errorName: string, cause?: FailureCause): readonly StreamEvent[] => {
  const event = failed('llm');
  return [created, uploaded, started('llm'), { ...event, data: { ...event.data, errorName, ...(cause && { cause }) } }, streamFailed];
};

describe('advice on a stream', () => {
  test('is given only if the stream failed', () => {
    expect(adviceOnStream(told(created, uploaded))).toBe(null);
    expect(adviceOnStream(told(created, uploaded, { type: 'StreamCompleted', data: {} }, expired))).toBe(null);
  });

  test('on a cancellation depends on whether the upload is complete', () => {
    const [running, uploading] = [told(created, uploaded), told(created)];
    expect(adviceOnStream(then(running, cancelStream(running)))).toBe('To process it after all, run the stream again.');
    expect(adviceOnStream(then(uploading, cancelStream(uploading)))).toBe('To process it after all, upload the file again.');
  });

  test.each([
    [undefined, 'Upload it again.'],
    ['LINK_FAILED', 'Check the link in a browser, then upload it again.'],
    ['TOO_LARGE', 'Upload a smaller file, or ask the operator for a higher limit (UPLOAD_MAX_BYTES).'],
  ] as const)('on an upload that failed because of %s: %s', (cause, advice) => {
    const uploading = told(created);
    expect(adviceOnStream(then(uploading, failUpload(uploading, { reason: 'x', ...(cause && { cause }) })))).toBe(advice);
  });

  test.each([
    ['PROCESSOR_GENERAL_ERROR', undefined, /^To repeat the stage, run the stream again from llm\. If it fails again, give the trace id/],
    ['PROCESSOR_GENERAL_ERROR', 'TOO_LONG', /^Split it into shorter parts.*MEDIA_MAX_SECONDS.*LLM_MAX_CHARACTERS/],
    ['PROCESSOR_GENERAL_ERROR', 'NOT_TEXT', /choose a transcription template/],
    ['PROCESSOR_TRANSCRIPTION_ERROR', undefined, /check the speech engine, then run the stream again from llm/],
    ['PROCESSOR_TRANSCRIPTION_ERROR', 'ENGINE_AWAY', /^When the engine is back, run the stream again from llm/],
    ['PROCESSOR_TRANSCODING_ERROR', undefined, /Convert it to WAV or MP3 and upload it again/],
    ['PROCESSOR_TRANSCODING_ERROR', 'SERVER_INCOMPLETE', /run "npm run setup" on the server/],
    [
      'PROCESSOR_FEATURE_ERROR',
      undefined,
      /^Switch the feature off in the properties of llm when you run the stream again\. .*, then run the stream again from llm\.$/,
    ],
    ['PROCESSOR_PROPERTIES_VALIDATION_ERROR', undefined, /^Correct the properties of llm when you run the stream again\.$/],
  ] as const)('on a stage that failed with %s because of %s: %s', (errorName, cause, advice) => {
    expect(adviceOnStream(told(...failedWith(errorName, cause)))).toMatch(advice);
  });

  test('on a stage that has not run is to run it', () => {
    const stopped = told(created, uploaded, streamFailed);
    expect(adviceOnStream(stopped)).toBe('Run the stream again from llm.');
    expect(adviceOnStream(then(stopped, [expired]))).toBe('Upload the file again.');
  });

  test('is to upload again once the data are deleted', () => {
    const deleted = told(...failedWith('PROCESSOR_GENERAL_ERROR', 'ENGINE_AWAY'), expired);
    expect(adviceOnStream(deleted)).toBe('When the engine is back, upload the file again.');
  });

  test('on an own processor is to repair it', () => {
    const failure = { processorId: 'own', declarationId: 'abcdefabcdefabcdefabcdef@2', errorName: 'PROCESSOR_GENERAL_ERROR', cause: null };
    expect(adviceOnStage(told(created, uploaded), failure)).toBe('Repair the processor, then run the stream again from own.');
  });
});

test('a failure in an older log names the absent engine if the run waited for it until it failed', () => {
  const timeline = new Timeline();
  const awaited: StreamEvent = { type: 'EngineAwaited', data: { processorId: 'llm', attempt: 1, reason: 'away' } };
  for (const event of [created, uploaded, started('llm'), awaited, failed('llm')]) timeline.add({ event, time: TIME, correlationId: 'c' });
  expect(timeline.attempts()[0]?.stages[0]?.failure?.cause).toBe('ENGINE_AWAY');
});
