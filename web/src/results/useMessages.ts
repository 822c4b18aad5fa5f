import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../api/errors.ts';
import { apiErrorOf } from '../api/useResource.ts';
import { type MessageQuery, readMessages } from './readMessages.ts';
import type { SinkMessage } from './results.ts';

export interface Messages {
  readonly messages: readonly SinkMessage[];
  /** All of them have come. */
  readonly ended: boolean;
  readonly error: ApiError | undefined;
}

const NONE: Messages = { messages: [], ended: false, error: undefined };
// The page is redrawn at most this often, however fast messages arrive.
const DRAW_MILLISECONDS = 100;
const AGAIN_MILLISECONDS = 1_000;

/** Follows the messages of a stream to their end; continues after the last one if the connection breaks. `null`: nothing is followed. */
export const useMessages = (query: MessageQuery | null): Messages => {
  const [read, setRead] = useState<Messages>(NONE);
  const key = query && JSON.stringify(query);
  useEffect(() => {
    setRead(NONE);
    if (key === null) return;
    const leaving = new AbortController();
    // It was written two lines above.
    void follow(JSON.parse(key) as MessageQuery, leaving.signal, (next) => !leaving.signal.aborted && setRead(next));
    return () => leaving.abort();
  }, [key]);
  return read;
};

const follow = async (query: MessageQuery, signal: AbortSignal, show: (read: Messages) => void): Promise<void> => {
  const messages: SinkMessage[] = [];
  let drawing: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    drawing ??= setTimeout(() => {
      drawing = undefined;
      show({ messages: [...messages], ended: false, error: undefined });
    }, DRAW_MILLISECONDS);
  };
  while (!signal.aborted) {
    try {
      for await (const more of readMessages(query, messages, signal)) {
        messages.push(...more);
        draw();
      }
      clearTimeout(drawing);
      return show({ messages, ended: true, error: undefined });
    } catch (error) {
      const problem = apiErrorOf(error);
      // A refusal stays one; a connection that broke off is made again.
      if (problem.status !== 0) return show({ messages, ended: true, error: problem });
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
    }
  }
};
