import type { Authorization } from './credential.ts';
import { TributaryError } from './error.ts';
import { queryOf, type StreamSettings } from './query.ts';
import type { ErrorResponse, SinkMessage, Stream } from './types.ts';

/** What is used of a WebSocket: that of browsers and of Node 22, and the one of the package `ws`. */
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
  /** False: results are not wanted here. */
  readonly egress?: boolean;
  /** Node 20 has no WebSocket: that of the package `ws`. Default: the one of the platform that this runs on. */
  readonly WebSocket?: unknown;
}

type ServerMessage =
  | { readonly type: 'STREAM_METADATA'; readonly stream: Stream }
  | { readonly type: 'RESPONSE'; readonly response: SinkMessage }
  | { readonly type: 'ERROR'; readonly error: ErrorResponse }
  | { readonly type: 'KEEP_ALIVE' | 'END_OF_STREAM' };

const KEEP_ALIVE_MILLISECONDS = 4_000;
/** More than this that waits to go out holds `send` back. */
const BUFFERED_BYTES = 1_048_576;
const LOOK_MILLISECONDS = 10;

/**
 * One stream over one WebSocket. Send what there is, `end()`, and iterate over the results, which end when the stream has; an error of the
 * platform, or a connection that is cut before the end, is thrown by both.
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

  /** Resolves when there is room for more: await it, and memory stays bounded however slow the network is. */
  async send(data: Uint8Array): Promise<void> {
    this.#inbox.check();
    this.#socket.send(data);
    while (this.#socket.bufferedAmount > BUFFERED_BYTES && !this.#inbox.ended)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    this.#inbox.check();
  }

  /** No more data will come. */
  end(): void {
    if (!this.#inbox.ended) this.#socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
  }

  /** Leaves: the stream completes with what was sent. */
  close(): void {
    this.#socket.close();
  }

  [Symbol.asyncIterator](): AsyncGenerator<SinkMessage, void, undefined> {
    return this.#inbox.messages();
  }
}

/** What has come and has not been read. */
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

/** Resolves with the session when STREAM_METADATA has come; rejects with what the platform refuses. */
export const openSession = (base: string, authorization: Authorization, options: SessionOptions): Promise<Session> => {
  const { egress, WebSocket: given, ...settings } = options;
  const WebSocketClass = (given ?? (globalThis as { WebSocket?: unknown }).WebSocket) as WebSocketClass | undefined;
  if (!WebSocketClass) throw new TypeError('This runtime has no WebSocket. Pass the one of the package `ws` as the option WebSocket.');
  const query = queryOf(settings);
  if (egress === false) query.append('egress', 'false');
  const protocols = protocolsOf(authorization);
  // Not every credential is a legal name of a protocol, and browsers can set no header.
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
    // The gateway's text messages are JSON of the shape that its AsyncAPI document gives; this session asks for no binary ones.
    socket.addEventListener('message', ({ data }) => hear(JSON.parse(String(data)) as ServerMessage));
    socket.addEventListener('error', () => over(new TypeError('The WebSocket could not be opened, or was cut: is the credential right?')));
    socket.addEventListener('close', () => over(new TypeError('The connection ended before the stream had.')));
  });
