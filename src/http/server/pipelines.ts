import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait for the answers before theirs. */
const MOST_WAITING = 16;
/** Anything but 0, 1 and 2 ends the parsing of a read. */
const END_PARSING = -1;

/** Node's parser of a connection, which is undocumented. The tests pass on Node 20, 22 and 24. */
interface Parser {
  onIncoming: (incoming: IncomingMessage & { upgrade: boolean }, shouldKeepAlive: boolean) => number;
}

interface Pipeline {
  isAnswering: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Takes the requests of a connection one after another. A client may send the next request before it has an answer (HTTP pipelining), and Node announces
 * all that one read of the socket holds in one turn, until the connection is closed. A connection with a waiting request is not read.
 */
export class Pipelines {
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  /**
   * Parses no further request once the connection is closed. Ignores an upgrade that is offered behind an unanswered request: Node would hand over a
   * connection to which another answer is still written. Call it when the connection is new.
   */
  connected(socket: Socket & { readonly parser?: Parser | null }): void {
    const { parser } = socket;
    if (!parser) return;
    const announce = parser.onIncoming;
    parser.onIncoming = (incoming, shouldKeepAlive) => {
      if (this.#pipelines.get(socket)?.isAnswering) incoming.upgrade = false;
      if (socket.destroyed) {
        // Node would announce an upgrade nevertheless.
        incoming.upgrade = false;
        return END_PARSING;
      }
      return announce(incoming, shouldKeepAlive);
    };
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
