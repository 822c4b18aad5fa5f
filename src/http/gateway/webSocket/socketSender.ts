import type { WebSocket } from 'ws';
import type { Clock } from '../../../clock.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { ServerMessage } from './messages.ts';
import { cutOffWhenUnread } from './unreadLimit.ts';

/** Above this much unread data, a client gets no more pongs or KEEP_ALIVE messages. */
const UNREAD_BYTES = 1_048_576;

interface SenderDeps {
  readonly clock: Clock;
  /** Ends every wait for the client. */
  readonly over: AbortSignal;
  /** When the client was last heard, on the monotonic clock. */
  readonly heardAt: () => number;
  /** Called when the client has read and sent nothing for a minute. */
  readonly cutOff: () => void;
}

/** The messages to one client of the gateway. */
export class SocketSender {
  readonly #socket: WebSocket;
  readonly #deps: SenderDeps;
  #errorSent = false;

  constructor(socket: WebSocket, deps: SenderDeps) {
    this.#socket = socket;
    this.#deps = deps;
  }

  get errorSent(): boolean {
    return this.#errorSent;
  }

  send(message: ServerMessage): Promise<void> {
    return this.#sendBytes(JSON.stringify(message));
  }

  /** The first error is the cause; later ones follow from it. */
  async sendError(problem: Problem): Promise<void> {
    if (this.#errorSent) return;
    this.#errorSent = true;
    await this.send({ type: 'ERROR', error: problem.toResponse() });
  }

  /** Resolves when the client has taken it, so that the next frame of a sink is read then. */
  async sendAtPace(data: string | Uint8Array): Promise<void> {
    const sent = this.#sendBytes(data);
    if (this.#socket.bufferedAmount === 0) return sent;
    const taken = new AbortController();
    const { clock, heardAt, cutOff } = this.#deps;
    void cutOffWhenUnread({ clock, taken: taken.signal, heardAt, cutOff });
    await sent;
    taken.abort();
  }

  keepAlive(): void {
    if (this.#socket.bufferedAmount < UNREAD_BYTES) void this.send({ type: 'KEEP_ALIVE' });
  }

  pong(data: Uint8Array): void {
    if (this.#isOpen && this.#socket.bufferedAmount < UNREAD_BYTES) this.#socket.pong(data);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves when the connection has taken it, is gone, or the session is over, so that a client that does not read delays no end. */
  #sendBytes(data: string | Uint8Array): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    const { over } = this.#deps;
    return new Promise((resolve) => {
      const done = (): void => {
        over.removeEventListener('abort', done);
        resolve();
      };
      over.addEventListener('abort', done);
      this.#socket.send(data, done);
      if (over.aborted) done();
    });
  }
}
