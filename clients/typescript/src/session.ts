import type { Authorization } from './credential.ts';
import { TributaryError } from './error.ts';
import { queryOf, type StreamSettings } from './query.ts';
import type { ErrorResponse, SinkMessage, Stream } from './types.ts';

/** The members of a WebSocket that are used. Fits browsers, Node 22 and the package `ws`. */
interface Socket {
  binaryType: string;
  readonly bufferedAmount: number;
  send(data: string | Uint8Array): void;
  close(): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
}

export type WebSocketClass = new (url: string, protocols: string[]) => Socket;

export interface SessionOptions extends StreamSettings {
  /** False: the server sends no results to this session. */
  readonly egress?: boolean;
  /** Default: the global `WebSocket`. Node 20 has none: pass that of the package `ws`. */
  readonly WebSocket?: unknown;
}

type ServerMessage =
  | { readonly type: 'STREAM_METADATA'; readonly stream: Stream }
  | { readonly type: 'RESPONSE'; readonly response: SinkMessage }
  | { readonly type: 'ERROR'; readonly error: ErrorResponse }
  | { readonly type: 'KEEP_ALIVE' | 'END_OF_STREAM' };

const KEEP_ALIVE_MILLISECONDS = 4_000;
/** `send` waits while more than this is unsent. */
const BUFFERED_BYTES = 1_048_576;
const LOOK_MILLISECONDS = 10;

/**
 * One stream over one WebSocket. Send the data, call `end()`, and iterate over the results until the stream ends. Both sending and iterating throw an
 * error of the server, and an error if the connection is cut before the end.
 */
export class Session implements AsyncIterable<SinkMessage> {
  readonly stream: Stream;
  readonly #socket: Socket;
  readonly #inbox: Inbox;

  constructor(stream: Stream, socket: Socket, inbox: Inbox) {
    this.stream = stream;
    this.#socket = socket;
    this.#inbox = inbox;
  }

  /** Resolves when there is room for more. Await it to bound the memory on a slow network. */
  async send(data: Uint8Array): Promise<void> {
    this.#inbox.check();
    this.#socket.send(data);
    while (this.#socket.bufferedAmount > BUFFERED_BYTES && !this.#inbox.ended)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    this.#inbox.check();
  }

  /** Ends the data of the stream. */
  end(): void {
    if (!this.#inbox.ended) this.#socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
  }

  /** Closes the connection. The stream completes with the data sent so far. */
  close(): void {
    this.#socket.close();
  }

  [Symbol.asyncIterator](): AsyncGenerator<SinkMessage, void, undefined> {
    return this.#inbox.messages();
  }
}

/** Messages that have arrived and have not been read. */
class Inbox {
  readonly #messages: SinkMessage[] = [];
  #failure: Error | null = null;
  #wake: (() => void) | null = null;
  ended = false;

  take(message: SinkMessage): void {
    this.#messages.push(message);
    this.#wake?.();
  }

  end(failure: Error | null): void {
    if (this.ended) return;
    this.ended = true;
    this.#failure = failure;
    this.#wake?.();
  }

  check(): void {
    if (this.#failure) throw this.#failure;
  }

  async *messages(): AsyncGenerator<SinkMessage, void, undefined> {
    for (;;) {
      const message = this.#messages.shift();
      if (message) yield message;
      else if (this.ended) return this.check();
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/** Resolves with the session when STREAM_METADATA has arrived. Rejects with a `TributaryError` if the server refuses. */
export const openSession = (base: string, authorization: Authorization, options: SessionOptions): Promise<Session> => {
  const { egress, WebSocket: given, ...settings } = options;
  const WebSocketClass = (given ?? (globalThis as { WebSocket?: unknown }).WebSocket) as WebSocketClass | undefined;
  if (!WebSocketClass) throw new TypeError('This runtime has no WebSocket. Pass the one of the package `ws` as the option WebSocket.');
  const query = queryOf(settings);
  if (egress === false) query.append('egress', 'false');
  const protocols = protocolsOf(authorization);
  // In the query: browsers cannot set headers, and not every credential is a valid protocol name.
  if (protocols.length === 0) query.append('access_token', authorization.value);
  const socket = new WebSocketClass(`${base.replace(/^http/, 'ws')}/ws-gateway/api/v1?${query}`, protocols);
  return converse(socket);
};

const protocolsOf = ({ scheme, value }: Authorization): string[] => (/^[\w!#$%&'*+.^`|~-]+$/.test(value) ? [scheme, value] : []);

const converse = (socket: Socket): Promise<Session> =>
  new Promise((resolve, reject) => {
    const inbox = new Inbox();
    const keepAlive = setInterval(() => socket.send(JSON.stringify({ type: 'KEEP_ALIVE' })), KEEP_ALIVE_MILLISECONDS);
    const over = (failure: Error | null): void => {
      clearInterval(keepAlive);
      inbox.end(failure);
      if (failure) reject(failure);
    };
    const hear = (message: ServerMessage): void => {
      if (message.type === 'STREAM_METADATA') resolve(new Session(message.stream, socket, inbox));
      else if (message.type === 'RESPONSE') inbox.take(message.response);
      else if (message.type === 'ERROR') over(new TributaryError(message.error));
      else if (message.type === 'END_OF_STREAM') over(null);
    };
    socket.binaryType = 'arraybuffer';
    // Text messages are JSON as in the AsyncAPI document. This session asks for no binary ones.
    socket.addEventListener('message', ({ data }) => hear(JSON.parse(String(data)) as ServerMessage));
    socket.addEventListener('error', () => over(new TypeError('The WebSocket could not be opened, or was cut: is the credential right?')));
    socket.addEventListener('close', () => over(new TypeError('The connection ended before the stream had.')));
  });
