import type { Duplex } from 'node:stream';
import type { Clock } from '../../../clock.ts';
import type { Traffic } from '../../traffic.ts';
import type { GatewayWebSocket } from './socketAdmission.ts';

/** Largest part of one message that a socket may receive without a turn. */
export const LARGE_MESSAGE_BYTES = 524_288;
/** Unhandled bytes that all sockets of a user may hold without a turn. */
export const USER_BYTES = 16_777_216;
/** Unhandled bytes that each socket may hold without a turn when `USER_BYTES` are exceeded. */
const LEFT_BYTES = 32_768;
const TURNS_OF_USER = 1;
const TURNS_IN_ALL = 4;
const ARRIVAL_MILLISECONDS = 60_000;
/** The paces of appends must be shorter. */
export const HANDLING_MILLISECONDS = 10_000;
/** How long a client has to answer a close frame. `ws` waits 30 s, in which the socket would keep its turn. */
const CLOSING_MILLISECONDS = 1_000;
/** While other users wait for a turn, a message must arrive at this rate. Looked at every five seconds. */
const CONTENDED_BYTES_PER_SECOND = 1_048_576;
const LOOK_MILLISECONDS = 5_000;
/** After a large message its user's next one waits in proportion, so that others get their share of the event loop. */
const BYTES_PER_MILLISECOND = 65_536;
const TOO_SLOW = 1008;
const LATE_ARRIVAL = `A message of more than ${LARGE_MESSAGE_BYTES} bytes must be complete within 60 s.`;
const SLOW_ARRIVAL = 'While other users wait, your message must arrive at 1 MiB a second, measured over 5 s.';
const LATE_HANDLING = 'Your message could not be handled within 10 s. Read what the server sends.';

interface Waiting {
  readonly subject: string;
  readonly start: () => void;
}

/** Turns of users: one per user and four in all at a time. Others wait in order. */
export class Turns {
  readonly #taken = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #inAll = 0;

  /**
   * Calls `start` when the turn begins, at once if one is free. Returns the function that ends the turn or the wait. The user's next turn begins after `rest`.
   */
  ask(subject: string, start: () => void): (rest?: Promise<unknown>) => void {
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
    return (rest) => {
      if (over) return;
      over = true;
      if (begun) this.#end(subject, rest);
      else this.#waiting.splice(this.#waiting.indexOf(asked), 1);
    };
  }

  /** Whether a user waits for one of the turns that others hold. */
  get isWanted(): boolean {
    return this.#waiting.some(({ subject }) => (this.#taken.get(subject) ?? 0) < TURNS_OF_USER);
  }

  #end(subject: string, rest: Promise<unknown> | undefined): void {
    this.#inAll -= 1;
    if (rest) void rest.then(() => this.#leave(subject));
    else this.#leave(subject);
    this.#begin();
  }

  #leave(subject: string): void {
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

/** Bytes that users' sockets have received and that have not been handled. */
class UnhandledBytes {
  readonly #ofUsers = new Map<string, number>();

  of(subject: string): number {
    return this.#ofUsers.get(subject) ?? 0;
  }

  add(subject: string, bytes: number): void {
    const sum = this.of(subject) + bytes;
    if (sum === 0) this.#ofUsers.delete(subject);
    else this.#ofUsers.set(subject, sum);
  }
}

/** The part of a socket that is observed and controlled. */
export type GuardedSocket = Pick<GatewayWebSocket, 'holdBack' | 'letGo' | 'close' | 'terminate' | 'on' | 'once'>;

/**
 * Bounds the memory of WebSocket messages, for all gateways of a server. Beyond `LARGE_MESSAGE_BYTES` of one message, or `USER_BYTES` of all messages
 * of a user, a message is received in a turn of its user, which lasts until the message has been handled. A socket that waits for its turn is not read.
 */
export class LargeMessages {
  readonly #clock: Clock;
  readonly #traffic: Traffic;
  readonly #turns = new Turns();
  readonly #unhandled = new UnhandledBytes();

  constructor(clock: Clock, traffic: Traffic) {
    this.#clock = clock;
    this.#traffic = traffic;
  }

  /** Watches a new socket over its connection. Returns the function to call whenever all received messages have been handled. */
  guard(socket: GuardedSocket, connection: Pick<Duplex, 'on'>, subject: string): () => void {
    const guard = new Guard(
      { clock: this.#clock, traffic: this.#traffic, turns: this.#turns, unhandled: this.#unhandled },
      socket,
      subject,
    );
    connection.on('data', (chunk: Uint8Array) => guard.received(chunk.length));
    socket.on('message', () => guard.whole());
    socket.once('close', () => guard.leave());
    return () => guard.handled();
  }
}

interface Shared {
  readonly clock: Clock;
  readonly traffic: Traffic;
  readonly turns: Turns;
  readonly unhandled: UnhandledBytes;
}

class Guard {
  readonly #shared: Shared;
  readonly #socket: GuardedSocket;
  readonly #subject: string;
  /** Bytes received since the last whole message. */
  #bytes = 0;
  /** Unhandled bytes: everything received since all messages were last handled, including an incomplete message. */
  #unhandled = 0;
  #end: ReturnType<Turns['ask']> | null = null;
  /** Bytes received for the turn. */
  #turnBytes = 0;
  #patience: AbortController | null = null;
  #left = false;

  constructor(shared: Shared, socket: GuardedSocket, subject: string) {
    this.#shared = shared;
    this.#socket = socket;
    this.#subject = subject;
  }

  received(bytes: number): void {
    if (this.#left) return;
    this.#bytes += bytes;
    this.#turnBytes += bytes;
    this.#holds(this.#unhandled + bytes);
    if (!this.#end && this.#needsTurn) this.#ask();
  }

  whole(): void {
    this.#bytes = 0;
    if (this.#patience) this.#beginPatience();
  }

  /** Ends the turn. A socket that is already receiving the next large message asks for another turn, behind the waiting ones. */
  handled(): void {
    if (this.#left) return;
    this.#holds(this.#bytes);
    if (!this.#end) return;
    this.#endTurn();
    if (this.#needsTurn) this.#ask();
    else this.#socket.letGo();
  }

  leave(): void {
    this.#left = true;
    this.#holds(0);
    this.#endTurn();
  }

  get #needsTurn(): boolean {
    if (this.#bytes > LARGE_MESSAGE_BYTES) return true;
    return this.#unhandled > LEFT_BYTES && this.#shared.unhandled.of(this.#subject) > USER_BYTES;
  }

  #holds(bytes: number): void {
    this.#shared.unhandled.add(this.#subject, bytes - this.#unhandled);
    this.#unhandled = bytes;
  }

  #ask(): void {
    let hasBegun = false;
    this.#turnBytes = this.#bytes;
    this.#end = this.#shared.turns.ask(this.#subject, () => {
      hasBegun = true;
      this.#socket.letGo();
      this.#beginPatience();
    });
    // Paused only if it must wait: Node stops reading a socket that is paused and resumed during its own data event.
    if (!hasBegun) this.#socket.holdBack();
  }

  #endTurn(): void {
    this.#patience?.abort();
    this.#patience = null;
    const end = this.#end;
    this.#end = null;
    if (!end) return;
    const { clock, traffic } = this.#shared;
    end(Promise.all([clock.pause(this.#turnBytes / BYTES_PER_MILLISECOND), traffic.wait(this.#subject, this.#turnBytes)]));
  }

  /** Closes a socket that holds its turn for too long: its message does not arrive, or its client does not read the answers. */
  #beginPatience(): void {
    this.#patience?.abort();
    this.#patience = new AbortController();
    const { signal } = this.#patience;
    if (this.#bytes === 0) return void this.#closeAfter(HANDLING_MILLISECONDS, LATE_HANDLING, signal);
    void this.#closeAfter(ARRIVAL_MILLISECONDS, LATE_ARRIVAL, signal);
    void this.#closeIfSlow(signal);
  }

  /** Few turns serve all users: a sender who is slow on purpose must not hold one for a minute. */
  async #closeIfSlow(patience: AbortSignal): Promise<void> {
    const { clock, turns } = this.#shared;
    for (let before = this.#bytes; (await clock.pause(LOOK_MILLISECONDS, patience)) === 'elapsed'; before = this.#bytes) {
      const enough = (CONTENDED_BYTES_PER_SECOND * LOOK_MILLISECONDS) / 1_000;
      if (turns.isWanted && this.#bytes - before < enough) return this.#close(SLOW_ARRIVAL);
    }
  }

  async #closeAfter(milliseconds: number, reason: string, patience: AbortSignal): Promise<void> {
    if ((await this.#shared.clock.pause(milliseconds, patience)) === 'elapsed') await this.#close(reason);
  }

  async #close(reason: string): Promise<void> {
    this.#socket.close(TOO_SLOW, reason);
    await this.#shared.clock.pause(CLOSING_MILLISECONDS);
    this.#socket.terminate();
  }
}
