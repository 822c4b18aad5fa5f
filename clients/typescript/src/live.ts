import { TributaryError } from './error.ts';
import type { SinkMessage } from './types.ts';

export interface LiveOptions {
  /** Only sinks with these tags. Default: `main`. */
  readonly tags?: readonly string[];
  readonly matchTags?: 'ALL' | 'ANY';
  /** `final` leaves out partial results. */
  readonly acceptFrameType?: 'partial-final' | 'final';
  /** Milliseconds to wait for the streams to be created. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** How many connections may fail in a row without a message. Default: 5. */
  readonly attempts?: number;
}

/** Opens the path. Rejects with a `TributaryError`, or with another error if there is no connection. */
type Open = (path: string, signal: AbortSignal | undefined) => Promise<Response>;

const PATH = '/egress-service/api/v1/egress/live';
const FIRST_PAUSE_MILLISECONDS = 100;
const LAST_PAUSE_MILLISECONDS = 5_000;

/** Yields the messages of streams, each once, across reconnects. */
export async function* liveMessages(
  open: Open,
  streamIds: readonly string[],
  options: LiveOptions,
): AsyncGenerator<SinkMessage, void, undefined> {
  const { signal, attempts = 5 } = options;
  const last = new Map<string, string>();
  for (let failed = 0; ; ) {
    try {
      const response = await open(`${PATH}?${queryOf(streamIds, options, last)}`, signal);
      for await (const message of messagesOf(response)) {
        last.set(message.sinkTopicName, message.messageId);
        failed = 0;
        yield message;
      }
      return;
    } catch (error) {
      if (signal?.aborted || !isWorthRepeating(error) || ++failed > attempts) throw error;
      await pause(failed);
    }
  }
}

const queryOf = (streamIds: readonly string[], options: LiveOptions, last: ReadonlyMap<string, string>): URLSearchParams => {
  const { tags = [], matchTags, acceptFrameType, timeout } = options;
  const query = new URLSearchParams();
  for (const id of streamIds) query.append('streams', id);
  for (const tag of tags) query.append('tags', tag);
  for (const [name, value] of Object.entries({ matchTags, acceptFrameType, timeout }))
    if (value !== undefined) query.append(name, String(value));
  for (const [sink, messageId] of last) query.append('resume', `${sink}=${messageId}`);
  return query;
};

async function* messagesOf(response: Response): AsyncGenerator<SinkMessage> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      // The live egress sends one sink message per line.
      for (const line of lines) if (line !== '') yield JSON.parse(line) as SinkMessage;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Whether the connection failed or was cut, or the server is unavailable for the moment. */
const isWorthRepeating = (error: unknown): boolean => (error instanceof TributaryError ? error.status === 503 : true);

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** (attempt - 1), LAST_PAUSE_MILLISECONDS)));
