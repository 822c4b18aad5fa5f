import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import { BrokenOff } from '../../stores/pump.ts';
import type { PacedReads } from './pacedReads.ts';

const SWEEP_MILLISECONDS = 30_000;
/** A sender of less than this between two sweeps only holds its connection open. */
const FEWEST_BYTES = 128;

interface Received {
  readonly outgoing: ServerResponse;
  /** Bytes of the connection at the last sweep; `null` before the first. */
  bytes: number | null;
  answered: boolean;
}

/**
 * The requests whose bodies are still arriving. Checks all of them every 30 s: ends a body that hardly moves, and closes a connection that was
 * answered before the previous check and still sends its body. So both end within 60 s.
 */
export class ReceivedBodies {
  readonly #clock: Clock;
  readonly #reads: Pick<PacedReads, 'holds'>;
  readonly #bodies = new Map<IncomingMessage, Received>();
  readonly #stop = new AbortController();
  #sweeping = false;

  constructor(clock: Clock, reads: Pick<PacedReads, 'holds'>) {
    this.#clock = clock;
    this.#reads = reads;
  }

  add(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#bodies.set(incoming, { outgoing, bytes: null, answered: false });
    incoming.once('close', () => this.#bodies.delete(incoming));
    if (!this.#sweeping) void this.#sweep();
  }

  /** Requests whose bodies have not arrived in full. */
  get incomplete(): IncomingMessage[] {
    return [...this.#bodies.keys()].filter(({ complete }) => !complete);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Runs until no body is arriving. */
  async #sweep(): Promise<void> {
    this.#sweeping = true;
    while (this.#bodies.size > 0 && (await this.#clock.pause(SWEEP_MILLISECONDS, this.#stop.signal)) === 'elapsed')
      for (const [incoming, received] of this.#bodies) this.#look(incoming, received);
    this.#sweeping = false;
  }

  #look(incoming: IncomingMessage, received: Received): void {
    const { outgoing, bytes, answered } = received;
    if (incoming.complete) return;
    const now = incoming.socket.bytesRead;
    if (answered) incoming.socket.destroy();
    // While bytes wait to be parsed or read, the delay is the server's.
    else if (
      bytes !== null &&
      now - bytes < FEWEST_BYTES &&
      incoming.readableLength === 0 &&
      !this.#reads.holds(incoming.socket) &&
      !outgoing.headersSent
    )
      incoming.destroy(new BrokenOff(`The client sent less than ${FEWEST_BYTES} bytes in 30 seconds during the upload.`));
    received.bytes = now;
    received.answered = outgoing.writableFinished;
  }
}
