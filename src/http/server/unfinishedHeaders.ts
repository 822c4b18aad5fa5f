import type { Socket } from 'node:net';
import { limitBetween, type Memory, processMemory } from '../../supervision/scarceMemory.ts';

const KIBIBYTE = 1_024;
/** Of all connections, while memory is ample and while it is scarce. A header takes nearly twice its bytes. */
const [MOST_BYTES, MOST_WHILE_SCARCE] = [32_768 * KIBIBYTE, 8_192 * KIBIBYTE];
/** A connection with less is not closed because of others. Honest headers rarely take more, and most arrive in one read. */
const SMALL = 16 * KIBIBYTE;

/** Bytes of headers that have begun and not ended. Above a limit for all connections, those with long ones are closed, the oldest first. */
export class UnfinishedHeaders {
  readonly #memory: Memory;
  readonly #ofSockets = new Map<Socket, number>();
  /** Those with long headers, the oldest first. */
  readonly #long = new Set<Socket>();
  #bytes = 0;

  constructor(memory: Memory = processMemory) {
    this.#memory = memory;
  }

  of(socket: Socket): number {
    return this.#ofSockets.get(socket) ?? 0;
  }

  /** Call it after each read, and with 0 when the connection closes. */
  set(socket: Socket, bytes: number): void {
    this.#count(socket, bytes);
    for (const one of this.#long) {
      if (this.#bytes <= limitBetween(MOST_BYTES, MOST_WHILE_SCARCE, this.#memory)) return;
      this.#count(one, 0);
      one.destroy();
    }
  }

  #count(socket: Socket, bytes: number): void {
    this.#bytes += bytes - this.of(socket);
    if (bytes > 0) this.#ofSockets.set(socket, bytes);
    else this.#ofSockets.delete(socket);
    if (bytes > SMALL) this.#long.add(socket);
    else this.#long.delete(socket);
  }
}

const EMPTY_LINE = Buffer.from('\r\n\r\n');

/** Whether these bytes end with a message: a header that ends so is finished. */
export const endsWithEmptyLine = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.compare(EMPTY_LINE, 0, 4, bytes.length - 4) === 0;

export const headerEnd = (bytes: Buffer): number => bytes.indexOf(EMPTY_LINE) + 4;
