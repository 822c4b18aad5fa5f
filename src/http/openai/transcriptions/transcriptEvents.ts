import type { StreamDocument } from '../../../projections/streams.ts';
import { transcriptionIn } from '../../../results/results.ts';
import { utteranceOf } from '../../../results/transcript.ts';
import type { Frame } from '../../../stores/topics.ts';
import type { ResponseDeps } from '../../gateway/webSocket/responses.ts';
import type { HeldMemory } from '../../limits/memoryBudget.ts';
import { followSink } from '../../live/follow.ts';
import { merged } from '../../live/merged.ts';
import { GrowingText } from '../growingText.ts';
import { durationOf, endOfSpeech, transcriptionSinks } from './finishedSpeech.ts';
import { SpeakerNames, speakerSegment, usageOf } from './speechAnswer.ts';
import type { SpeechRequest } from './speechRequest.ts';

/** Bytes of memory for a character of the text: two, and two more in the last event. */
const CHARACTER_WEIGHT = 4;

/**
 * The events of a streamed transcription: a delta for each utterance as it appears, `transcript.text.segment` too where speakers are asked for, then
 * `transcript.text.done`. Throws the stream's failure, the signal's reason when it aborts, and 429 or 503 if memory has no
 * room for the text.
 */
export async function* transcriptEvents(
  deps: ResponseDeps,
  document: StreamDocument,
  request: SpeechRequest,
  memory: HeldMemory,
  signal: AbortSignal,
): AsyncGenerator<object> {
  const speakers =
    request.format === 'diarized_json' || document.chain.some(({ operationType }) => operationType === 'SPEAKERS_DIARIZATION');
  const text = new GrowingText();
  const names = new SpeakerNames(request.speakerNames);
  let segments = 0;
  let lastEnd: number | null = null;
  const sinks = transcriptionSinks(document).map((sink) => followSink(deps, sink, -1, signal));
  const take = (frame: Frame): object[] => {
    const { message, isFinal } = transcriptionIn(frame) ?? {};
    if (!message || !isFinal) return [];
    const utterance = utteranceOf(message);
    lastEnd = utterance.end ?? lastEnd;
    const segment = speakers && message.utterance ? speakerSegment(utterance, segments, names) : null;
    if (segment) segments += 1;
    const delta = text.add(utterance.text);
    memory.take(CHARACTER_WEIGHT * delta.length);
    const events = delta === '' ? [] : [{ type: 'transcript.text.delta', delta, ...(segment && { segment_id: segment.id }) }];
    return segment ? [...events, segment] : events;
  };
  for await (const { frame } of merged(sinks)) yield* take(frame);
  const end = await endOfSpeech(deps, document.streamId, signal);
  yield { type: 'transcript.text.done', text: text.take(), usage: usageOf(durationOf(end, lastEnd)) };
}
