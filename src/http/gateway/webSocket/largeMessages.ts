import type { Duplex } from 'node:stream';
import type { Clock } from '../../../clock.ts';
import { limitBetween, type Memory, processMemory } from '../../../supervision/scarceMemory.ts';
import { BytesInAll, BytesOfUsers } from '../../bytesOfUsers.ts';
import type { Traffic } from '../../traffic.ts';
import { type Turn, Turns } from './largeMessageTurns.ts';
import type { GatewayWebSocket } from './socketAdmission.ts';

/** Largest part of one message that a socket may receive without a turn. */
export const LARGE_MESSAGE_BYTES = 262_144;
/** Unhandled bytes that all sockets of a user may hold without a turn, while memory is ample and while it is scarce. */
export const USER_BYTES = 16_777_216;
const USER_BYTES_WHILE_SCARCE = 1_048_576;
/** Unhandled bytes that each socket may hold without a turn when `USER_BYTES` are exceeded. */
const LEFT_BYTES = 32_768;
const ARRIVAL_MILLISECONDS = 60_000;
const UNREAD_MILLISECONDS = 10_000;
/** After that, others need not wait until a message has been handled: its user may be slowed down, or the store may be slow. */
const HANDLING_MILLISECONDS = 250;
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
const LATE_HANDLING = 'You have not read for 10 s, so your message could not be handled. Read what the server sends.';

/** The part of a socket that is observed and controlled. */
export type GuardedSocket = Pick<GatewayWebSocket, 'holdBack' | 'letGo' | 'close' | 'terminate' | 'on' | 'once'>;

/** A session reports to its guard through this. */
export interface MessageGuard {
  /** All received messages have been handled. */
  handled(): void;
  /** These bytes of a message count as traffic where they are stored. The user's next large message waits for the promise of `stored`. */
  passedOn(bytes: number, stored?: () => Promise<unknown>): void;
  /** Messages wait until the client has read what it was sent. */
  waitsForReader(read: Promise<unknown>): void;
}

export const UNGUARDED: MessageGuard = { handled: () => {}, passedOn: () => {}, waitsForReader: () => {} };

/**
 * Bounds the memory of WebSocket messages, for all gateways of a server. Beyond `LARGE_MESSAGE_BYTES` of one message, or `USER_BYTES` of all messages
 * of a user, a message is received in a turn of its user, which lasts until the message has been handled. A socket that waits for its turn is not read.
 * Time counts against a client only while the server waits for it: for the rest of a message, or until it reads.
 */
export class LargeMessages {
  readonly #clock: Clock;
  readonly #traffic: Traffic;
  readonly #memory: Memory;
  readonly #turns: Turns;
  /** Bytes that users' sockets have received and that have not been handled. Turns limit them, not the common limits of memory. */
  readonly #unhandled = new BytesOfUsers(new BytesInAll());

  constructor(clock: Clock, traffic: Traffic, memory: Memory = processMemory) {
    this.#clock = clock;
    this.#traffic = traffic;
    this.#memory = memory;
    this.#turns = new Turns(clock, memory);
  }

  /** Watches a new socket over its connection. */
  guard(socket: GuardedSocket, connection: Pick<Duplex, 'on'>, subject: string): MessageGuard {
    const guard = new Guard(
      { clock: this.#clock, traffic: this.#traffic, memory: this.#memory, turns: this.#turns, unhandled: this.#unhandled },
      socket,
      subject,
    );
    connection.on('data', (chunk: Uint8Array) => guard.received(chunk.length));
    socket.on('message', () => guard.whole());
    socket.once('close', () => guard.leave());
    return guard;
  }
}

interface Shared {
  readonly clock: Clock;
  readonly traffic: Traffic;
  readonly memory: Memory;
  readonly turns: Turns;
  readonly unhandled: BytesOfUsers;
}

class Guard implements MessageGuard {
  readonly #shared: Shared;
  readonly #socket: GuardedSocket;
  readonly #subject: string;
  /** Bytes received since the last whole message. */
  #bytes = 0;
  /** Unhandled bytes: everything received since all messages were last handled, including an incomplete message. */
  #unhandled = 0;
  #turn: Turn | null = null;
  /** Bytes received for the turn, and how many of them count as traffic elsewhere. */
  #turnBytes = 0;
  #passedOn = 0;
  #stored: (() => Promise<unknown>) | undefined;
  /** A whole message has not been handled yet. */
  #isHandling = false;
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
    if (!this.#turn && this.#needsTurn) this.#ask();
  }

  whole(): void {
    this.#bytes = 0;
    this.#isHandling = true;
    if (this.#patience) this.#beginPatience();
  }

  passedOn(bytes: number, stored?: () => Promise<unknown>): void {
    this.#passedOn += bytes;
    this.#stored = stored;
  }

  waitsForReader(read: Promise<unknown>): void {
    const patience = new AbortController();
    void read.then(() => patience.abort());
    void this.#closeIfUnread(patience.signal);
  }

  /** Ends the turn. A socket that is already receiving the next large message asks for another turn, behind the waiting ones. */
  handled(): void {
    if (this.#left) return;
    this.#isHandling = false;
    this.#holds(this.#bytes);
    if (!this.#turn) return;
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
    if (this.#unhandled <= LEFT_BYTES) return false;
    const { memory, unhandled } = this.#shared;
    return unhandled.of(this.#subject) > limitBetween(USER_BYTES, USER_BYTES_WHILE_SCARCE, memory);
  }

  #holds(bytes: number): void {
    this.#shared.unhandled.add(this.#subject, bytes - this.#unhandled);
    this.#unhandled = bytes;
  }

  #ask(): void {
    let hasBegun = false;
    this.#turnBytes = this.#bytes;
    this.#passedOn = 0;
    this.#stored = undefined;
    this.#turn = this.#shared.turns.ask(this.#subject, () => {
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
    const turn = this.#turn;
    this.#turn = null;
    if (!turn) return;
    const { clock, traffic } = this.#shared;
    // The message that is still arriving counts in its own turn.
    const bytes = this.#turnBytes - this.#bytes;
    const uncounted = bytes - this.#passedOn;
    const counted = uncounted > LEFT_BYTES ? traffic.wait(this.#subject, uncounted) : undefined;
    turn.end(Promise.all([clock.pause(bytes / BYTES_PER_MILLISECOND), counted, this.#stored?.()]));
  }

  /** While messages are handled, the socket is not read, so what is missing of the next one is not its client's fault. */
  #beginPatience(): void {
    this.#patience?.abort();
    this.#patience = new AbortController();
    const { signal } = this.#patience;
    if (this.#isHandling) return void this.#shareAfter(HANDLING_MILLISECONDS, signal);
    void this.#closeAfter(ARRIVAL_MILLISECONDS, LATE_ARRIVAL, signal);
    void this.#closeIfSlow(signal);
  }

  async #shareAfter(milliseconds: number, patience: AbortSignal): Promise<void> {
    if ((await this.#shared.clock.pause(milliseconds, patience)) === 'elapsed') this.#turn?.share();
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

  async #closeIfUnread(patience: AbortSignal): Promise<void> {
    while ((await this.#shared.clock.pause(UNREAD_MILLISECONDS, patience)) === 'elapsed') if (this.#turn) return this.#close(LATE_HANDLING);
  }

  async #close(reason: string): Promise<void> {
    this.#socket.close(TOO_SLOW, reason);
    await this.#shared.clock.pause(CLOSING_MILLISECONDS);
    this.#socket.terminate();
  }
}
