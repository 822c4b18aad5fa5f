import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait for the answers before theirs. */
const MOST_WAITING = 16;
interface Pipeline {
  isAnswering: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Takes the requests of a connection one after another. A client may send the next request before it has an answer (HTTP pipelining), and Node announces
 * all that one read of the socket holds in one turn: hundreds of small ones. A connection with a waiting request is not read.
 */
export class Pipelines {
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  /** Whether the connection is not read, because requests wait. */
  holds(socket: Socket): boolean {
    return (this.#pipelines.get(socket)?.waiting.length ?? 0) > 0;
  }

  /** Calls `take` when the connection's earlier requests have been answered. Closes a connection with too many requests. */
  enter(incoming: IncomingMessage, outgoing: ServerResponse, take: () => void): void {
    const { socket } = incoming;
    const pipeline = this.#pipelines.get(socket) ?? { isAnswering: false, waiting: [] };
    this.#pipelines.set(socket, pipeline);
    const begin = (): void => {
      pipeline.isAnswering = true;
      outgoing.once('close', () => this.#next(socket, pipeline));
      take();
    };
    if (!pipeline.isAnswering) begin();
    else if (pipeline.waiting.length >= MOST_WAITING) {
      socket.destroy();
      // Without an error of its own, Node would create one for each request when the connection closes.
      incoming.destroy();
    } else {
      pipeline.waiting.push(begin);
      socket.pause();
    }
  }

  #next(socket: Socket, pipeline: Pipeline): void {
    pipeline.isAnswering = false;
    if (socket.destroyed) return;
    const begin = pipeline.waiting.shift();
    if (pipeline.waiting.length === 0) socket.resume();
    begin?.();
  }
}
