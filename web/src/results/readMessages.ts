import { ask } from '../api/request.ts';
import type { SinkMessage } from './results.ts';

export interface MessageQuery {
  readonly streamId: string;
  /** Processors whose sinks are read: a sink has its processor's id as a tag. */
  readonly sinks: readonly string[];
  /** Milliseconds to wait for a stream that is not there yet. */
  readonly wait?: number;
  /** Attempt of the stream. Another one has other results, so they are read from the start. */
  readonly attempt?: number;
}

/**
 * The messages of a stream: all stored ones, then each as it arrives, until its end. `known`: messages already received, which are not sent again.
 */
export async function* readMessages(
  { streamId, sinks, wait }: MessageQuery,
  known: readonly SinkMessage[],
  signal: AbortSignal,
): AsyncGenerator<SinkMessage[]> {
  const last = new Map(known.map(({ sinkTopicName, messageId }) => [sinkTopicName, messageId]));
  const response = await ask('GET', '/egress-service/api/v1/egress/live', {
    query: { streams: streamId, tags: sinks, timeout: wait, resume: [...last].map(([topic, messageId]) => `${topic}=${messageId}`) },
    signal,
  });
  if (!response.body) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines.map((line): SinkMessage => JSON.parse(line));
  }
}
