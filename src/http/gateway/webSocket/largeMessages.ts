import type { Duplex } from 'node:stream';
import type { Clock } from '../../../clock.ts';
import type { GatewayWebSocket } from './socketDoor.ts';

/** Bytes of a message that a socket may have received without a turn. */
export const LARGE_MESSAGE_BYTES = 524_288;
const TURNS_OF_USER = 1;
const TURNS_IN_ALL = 4;
const ARRIVAL_MILLISECONDS = 60_000;
const TOO_SLOW = 1008;

interface Waiting {
  readonly subject: string;
  readonly start: () => void;
}

/** Turns of users: one per user and four in all at a time. Others wait in order. */
export class Turns {
  readonly #taken = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #inAll = 0;

  /** Calls `start` when the turn begins, at once if one is free. Returns the function that ends the turn or the wait. */
  ask(subject: string, start: () => void): () => void {
    let begun = false;
    const asked: Waiting = {
      subject,
      start: () => {
        begun = true;
        start();
      },
    };
    this.#waiting.push(asked);
    this.#begin();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      if (begun) this.#end(subject);
      else this.#waiting.splice(this.#waiting.indexOf(asked), 1);
    };
  }

  #end(subject: string): void {
    this.#inAll -= 1;
    const left = (this.#taken.get(subject) ?? 1) - 1;
    if (left === 0) this.#taken.delete(subject);
    else this.#taken.set(subject, left);
    this.#begin();
  }

  #begin(): void {
    while (this.#inAll < TURNS_IN_ALL) {
      const next = this.#waiting.findIndex(({ subject }) => (this.#taken.get(subject) ?? 0) < TURNS_OF_USER);
      const [asked] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (!asked) return;
      this.#inAll += 1;
      this.#taken.set(asked.subject, (this.#taken.get(asked.subject) ?? 0) + 1);
      asked.start();
    }
  }
}

/** The part of a socket that is observed and controlled. */
export type GuardedSocket = Pick<GatewayWebSocket, 'holdBack' | 'letGo' | 'close' | 'on' | 'once'>;

/**
 * Limits the memory of large WebSocket messages, for all gateways of a server: above `LARGE_MESSAGE_BYTES` a message is received in a turn of its
 * user, which lasts until the message has been handled. A socket that waits for its turn is not read.
 */
export class LargeMessages {
  readonly #clock: Clock;
  readonly #turns = new Turns();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches a new socket over its connection. Returns the function to call whenever all received messages have been handled. */
  guard(socket: GuardedSocket, connection: Pick<Duplex, 'on'>, subject: string): () => void {
    const guard = new Guard(this.#clock, this.#turns, socket, subject);
    connection.on('data', (chunk: Uint8Array) => guard.received(chunk.length));
    socket.on('message', () => guard.whole());
    socket.once('close', () => guard.leave());
    return () => guard.handled();
  }
}

class Guard {
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #socket: GuardedSocket;
  readonly #subject: string;
  /** Bytes received since the last whole message. */
  #bytes = 0;
  #end: (() => void) | null = null;
  #patience: AbortController | null = null;
  #left = false;

  constructor(clock: Clock, turns: Turns, socket: GuardedSocket, subject: string) {
    this.#clock = clock;
    this.#turns = turns;
    this.#socket = socket;
    this.#subject = subject;
  }

  received(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > LARGE_MESSAGE_BYTES && !this.#end && !this.#left) this.#ask();
  }

  whole(): void {
    this.#bytes = 0;
    this.#patience?.abort();
  }

  /** Ends the turn. A socket that is already receiving the next large message asks for another, after those that wait. */
  handled(): void {
    if (!this.#end || this.#left) return;
    this.#endTurn();
    if (this.#bytes > LARGE_MESSAGE_BYTES) this.#ask();
    else this.#socket.letGo();
  }

  leave(): void {
    this.#left = true;
    this.#endTurn();
  }

  #ask(): void {
    this.#socket.holdBack();
    this.#end = this.#turns.ask(this.#subject, () => {
      this.#socket.letGo();
      if (this.#bytes > 0) void this.#closeWhenLate();
    });
  }

  #endTurn(): void {
    this.#patience?.abort();
    const end = this.#end;
    this.#end = null;
    end?.();
  }

  async #closeWhenLate(): Promise<void> {
    const patience = new AbortController();
    this.#patience = patience;
    if ((await this.#clock.pause(ARRIVAL_MILLISECONDS, patience.signal)) === 'elapsed')
      this.#socket.close(TOO_SLOW, `A message of more than ${LARGE_MESSAGE_BYTES} bytes must be complete within 60 s.`);
  }
}
