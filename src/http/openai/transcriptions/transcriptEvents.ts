import { Problem, unavailable } from '../../../domain/problem.ts';
import type { StreamDocument } from '../../../projections/streams.ts';
import type { Frame } from '../../../stores/topics.ts';
import { mapItems } from '../../../supervision/items.ts';
import { givingWay } from '../../../supervision/ownTurn.ts';
import type { HeldRead } from '../../export/heldReads.ts';
import { transcriptionIn } from '../../export/results.ts';
import { utteranceOf } from '../../export/transcript.ts';
import type { ResponseDeps } from '../../gateway/webSocket/responses.ts';
import { followSink } from '../../live/follow.ts';
import { merged } from '../../live/merged.ts';
import { GrowingText } from '../growingText.ts';
import { durationOf, endOfSpeech, transcriptionSinks } from './finishedSpeech.ts';
import { speakerSegment, usageOf } from './speechAnswer.ts';
import type { SpeechRequest } from './speechRequest.ts';

/** Bytes of memory for a character of the text: two, and two more in the last event. */
const CHARACTER_WEIGHT = 4;

const holdText = (held: HeldRead, text: string, streamId: string): void => {
  try {
    held.add(CHARACTER_WEIGHT * text.length);
  } catch (error) {
    // The advice for exports, to choose another format, does not fit.
    if (!(error instanceof Problem && error.statusCode === 400)) throw error;
    throw unavailable(`The text is too long to be streamed. Read the results of the stream ${streamId} instead.`);
  }
};

/**
 * The events of a streamed transcription: a delta for each utterance as it appears, `transcript.text.segment` too where speakers are asked for, then
 * `transcript.text.done`. Throws the stream's failure, the signal's reason when it aborts, and 503 if memory has no room for
 * the text. It does not wait for room, because several transcriptions of one user would wait for each other.
 */
export async function* transcriptEvents(
  deps: ResponseDeps,
  document: StreamDocument,
  request: SpeechRequest,
  held: HeldRead,
  signal: AbortSignal,
): AsyncGenerator<object> {
  const speakers =
    request.format === 'diarized_json' || document.chain.some(({ operationType }) => operationType === 'SPEAKERS_DIARIZATION');
  const text = new GrowingText();
  let segments = 0;
  let lastEnd: number | null = null;
  const sinks = transcriptionSinks(document).map((sink) => followSink(deps, sink, -1, signal));
  const giveWay = givingWay();
  // Own function, so that the parsed message is let go before the next frame is awaited.
  const take = (frame: Frame): object[] => {
    const { message, isFinal } = transcriptionIn(frame) ?? {};
    if (!message || !isFinal) return [];
    const utterance = utteranceOf(message);
    lastEnd = utterance.end ?? lastEnd;
    const segment = speakers && message.utterance ? speakerSegment(utterance, segments) : null;
    if (segment) segments += 1;
    const delta = text.add(utterance.text);
    holdText(held, delta, document.streamId);
    const events = delta === '' ? [] : [{ type: 'transcript.text.delta', delta, ...(segment && { segment_id: segment.id }) }];
    return segment ? [...events, segment] : events;
  };
  const found = mapItems(merged(sinks), async ({ frame }) => {
    await giveWay(frame.data.byteLength);
    return take(frame);
  });
  for await (const events of found) yield* events;
  const end = await endOfSpeech(deps, document.streamId, signal);
  yield { type: 'transcript.text.done', text: text.take(), usage: usageOf(durationOf(end, lastEnd)) };
}
