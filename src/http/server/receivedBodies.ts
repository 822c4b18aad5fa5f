import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { Limits } from '../../limits.ts';
import { BrokenOff } from '../../stores/pump.ts';
import { OVER } from '../../supervision/aborted.ts';

/** How often each body is looked at in the time of the limit. */
const LOOKS = 6;

/** The requests whose bodies are still arriving. One that brings fewer than `UPLOAD_IDLE_BYTES` in `UPLOAD_IDLE_S` ends as if its client had left. */
export class ReceivedBodies {
  readonly #clock: Pick<Clock, 'pause'>;
  readonly #limits: Pick<Limits, 'uploadIdleS' | 'uploadIdleBytes'>;
  readonly #bodies = new Set<IncomingMessage>();

  constructor(clock: Pick<Clock, 'pause'>, limits: Pick<Limits, 'uploadIdleS' | 'uploadIdleBytes'>) {
    this.#clock = clock;
    this.#limits = limits;
  }

  add(incoming: IncomingMessage): void {
    const over = new AbortController();
    this.#bodies.add(incoming);
    const end = (): void => {
      this.#bodies.delete(incoming);
      over.abort(OVER);
    };
    incoming.once('end', end).once('close', end);
    void this.#watch(incoming, over.signal);
  }

  /** Ends all of them. */
  breakOff(): void {
    for (const incoming of this.#bodies) incoming.destroy(new BrokenOff('The server stopped before the upload was complete.'));
  }

  async #watch(incoming: IncomingMessage, over: AbortSignal): Promise<void> {
    const { uploadIdleS, uploadIdleBytes } = this.#limits;
    const { socket } = incoming;
    const seen = [socket.bytesRead];
    while ((await this.#clock.pause((uploadIdleS * 1_000) / LOOKS, over)) === 'elapsed') {
      // While bytes wait to be read, the delay is the server's.
      if (incoming.readableLength > 0) seen.length = 0;
      seen.push(socket.bytesRead);
      if (seen.length <= LOOKS) continue;
      if (socket.bytesRead - (seen.shift() ?? 0) < uploadIdleBytes)
        return void incoming.destroy(new BrokenOff(`The client sent fewer than ${uploadIdleBytes} bytes in ${uploadIdleS} seconds during the upload.`));
    }
  }
}
