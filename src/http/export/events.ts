import type { Topics } from '../../stores/topics.ts';
import { ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import { sinkMessage } from './sinkMessages.ts';
import { framesOf, type Sink } from './sinks.ts';

const CHUNK_CHARACTERS = 65_536;

/** NDJSON of the final frames of each sink, in chunks of whole lines. Holds one chunk in memory. */
export async function* exportEvents(
  topics: Topics,
  sinks: readonly Sink[],
  omitPayload: boolean,
  signal: AbortSignal,
): AsyncIterable<string> {
  let chunk = '';
  for (const sink of sinks) {
    for await (const frame of framesOf(topics, sink, signal)) {
      if (frame.data.byteLength > SMALL_STEP_BYTES) await ownTurn();
      const message = sinkMessage(sink.stream, sink.processor, frame);
      if (message.frameType !== 'final') continue;
      chunk += `${JSON.stringify(omitPayload ? { ...message, payload: null } : message)}\n`;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
      await ownTurn();
    }
  }
  if (chunk !== '') yield chunk;
}
