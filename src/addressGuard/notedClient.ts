import type { Socket } from 'node:net';
import { type buildConnector, Client, DecoratorHandler, type Dispatcher } from 'undici';

/** Tells a request about its connection. The request passes the note as its `opaque`. */
export class ConnectionNote {
  #socket: Socket | null = null;
  #bytesBefore = 0;

  /** Whether the connection had served another request before. */
  get isReused(): boolean {
    return this.#socket !== null;
  }

  /** Whether a byte of the answer has arrived on such a connection. */
  get isAnswered(): boolean {
    return this.#socket !== null && this.#socket.bytesRead > this.#bytesBefore;
  }

  sentOnReused(socket: Socket): void {
    this.#socket = socket;
    this.#bytesBefore = socket.bytesRead;
  }
}

/** Has one connection at a time, and fills in the notes of its requests. */
export class NotedClient extends Client {
  readonly #connection: Connection;

  /** `connect` of the options makes the connections. */
  constructor(origin: URL, options: Client.Options) {
    const connection: Connection = { socket: null, isFresh: true };
    super(origin, { ...options, connect: noting(options.connect, connection) });
    this.#connection = connection;
  }

  override dispatch(request: Dispatcher.DispatchOptions & { readonly opaque?: unknown }, handler: Dispatcher.DispatchHandler): boolean {
    const { opaque } = request;
    const onStart = (): void => {
      const { socket, isFresh } = this.#connection;
      if (opaque instanceof ConnectionNote && socket && !isFresh) opaque.sentOnReused(socket);
      this.#connection.isFresh = false;
    };
    return super.dispatch(request, new StartNoted(handler, onStart));
  }
}

interface Connection {
  socket: Socket | null;
  /** No request has been sent on it. */
  isFresh: boolean;
}

const noting = (connect: Client.Options['connect'], connection: Connection): buildConnector.connector => {
  if (typeof connect !== 'function') throw new Error('a noted client needs a function that connects');
  return (to, callback) =>
    connect(to, (...made) => {
      [connection.socket, connection.isFresh] = [made[1], true];
      callback(...made);
    });
};

class StartNoted extends DecoratorHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #onStart: () => void;

  constructor(handler: Dispatcher.DispatchHandler, onStart: () => void) {
    super(handler);
    this.#handler = handler;
    this.#onStart = onStart;
  }

  /** The connection is there, and the request is written next. */
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#onStart();
    this.#handler.onRequestStart?.(controller, context);
  }
}
