import { framesOf, type Sink } from '../../results/sinks.ts';
import type { Frame, Topics } from '../../stores/topics.ts';
import { sinkMessage } from './sinkMessages.ts';

const CHUNK_CHARACTERS = 65_536;

/** NDJSON of the final frames of each sink, in chunks of whole lines. Holds one chunk in memory. */
export async function* exportEvents(
  topics: Pick<Topics, 'read'>,
  sinks: readonly Sink[],
  omitPayload: boolean,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let chunk = '';
  for (const sink of sinks)
    for await (const frame of framesOf(topics, sink.processor.destination.topic, signal)) {
      chunk += lineOf(sink, frame, omitPayload);
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
    }
  if (chunk !== '') yield chunk;
}

/** Empty for a partial result. */
const lineOf = (sink: Sink, frame: Frame, omitPayload: boolean): string => {
  const message = sinkMessage(sink, frame);
  return message.frameType === 'final' ? `${JSON.stringify(omitPayload ? { ...message, payload: null } : message)}\n` : '';
};
