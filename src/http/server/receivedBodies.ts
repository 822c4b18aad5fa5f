import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { Limits } from '../../limits.ts';
import { BrokenOff } from '../../stores/pump.ts';
import { OVER } from '../../supervision/aborted.ts';

/** How often each body is looked at in the time of the limit. */
const LOOKS = 6;

type BodyLimits = Pick<Limits, 'uploadIdleS' | 'uploadIdleBytes' | 'bodyTimeoutS'>;

/** Bodies that are read whole get 408 after `BODY_TIMEOUT_S`. */
const READ_WHOLE = /^application\/([\w.-]+\+)?(json|x-www-form-urlencoded)\b/i;

/**
 * The requests whose bodies are still arriving. An upload that brings fewer than `UPLOAD_IDLE_BYTES` in `UPLOAD_IDLE_S` ends as if its client had left. So
 * does any other body in twice `BODY_TIMEOUT_S`, for instance one that was refused.
 */
export class ReceivedBodies {
  readonly #clock: Pick<Clock, 'pause'>;
  readonly #limits: BodyLimits;
  readonly #bodies = new Set<IncomingMessage>();

  constructor(clock: Pick<Clock, 'pause'>, limits: BodyLimits) {
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
    const { uploadIdleS, uploadIdleBytes, bodyTimeoutS } = this.#limits;
    const { socket } = incoming;
    const seconds = READ_WHOLE.test(incoming.headers['content-type'] ?? '') ? 2 * bodyTimeoutS : uploadIdleS;
    const seen = [socket.bytesRead];
    while ((await this.#clock.pause((seconds * 1_000) / LOOKS, over)) === 'elapsed') {
      // While bytes wait to be read, the delay is the server's.
      if (incoming.readableLength > 0) seen.length = 0;
      seen.push(socket.bytesRead);
      if (seen.length <= LOOKS) continue;
      if (socket.bytesRead - (seen.shift() ?? 0) < uploadIdleBytes)
        return void incoming.destroy(
          new BrokenOff(`The client sent fewer than ${uploadIdleBytes} bytes in ${seconds} seconds during the upload.`),
        );
    }
  }
}
