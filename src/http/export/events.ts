import type { Frame, Topics } from '../../stores/topics.ts';
import { ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import { sinkMessage } from './sinkMessages.ts';
import { framesOf, type Sink } from './sinks.ts';

const CHUNK_CHARACTERS = 65_536;

/** NDJSON of the final frames of each sink, in chunks of whole lines. Holds one chunk in memory. */
export async function* exportEvents(
  topics: Pick<Topics, 'read'>,
  sinks: readonly Sink[],
  omitPayload: boolean,
  signal: AbortSignal,
): AsyncIterable<string> {
  let chunk = '';
  for (const sink of sinks) {
    for await (const frame of framesOf(topics, sink, signal)) {
      if (frame.data.byteLength > SMALL_STEP_BYTES) await ownTurn();
      chunk += lineOf(sink, frame, omitPayload);
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
      await ownTurn();
    }
  }
  if (chunk !== '') yield chunk;
}

/** Empty for a partial result. A function of its own: its message is let go before a slow reader is waited for. */
const lineOf = ({ stream, processor }: Sink, frame: Frame, omitPayload: boolean): string => {
  const message = sinkMessage(stream, processor, frame);
  return message.frameType === 'final' ? `${JSON.stringify(omitPayload ? { ...message, payload: null } : message)}\n` : '';
};
