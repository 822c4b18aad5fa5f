import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../clock.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { Limits } from '../../../limits.ts';
import { OVER } from '../../../supervision/aborted.ts';
import { badRequest, problemOf, unforeseen } from '../../errors/errors.ts';
import type { HeldMemory, MemoryBudget } from '../../limits/memoryBudget.ts';
import { IdleLimit, type IdleRules } from './idleLimit.ts';
import type { MessageRate } from './messageRate.ts';

/** Shared by the sockets of all gateways of a server. */
export interface SocketDeps {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly memory: MemoryBudget;
  readonly rate: MessageRate;
}

/** The rules of a gateway. */
export interface SocketRules extends IdleRules {
  /** The close code when memory has no room for what the client sends or is sent. */
  readonly noRoomCode: number;
}

/** The session of a socket. */
export interface SocketUser {
  /** Handles one message. The next one waits until it resolves. Must not reject. */
  hear(data: Uint8Array, isBinary: boolean): Promise<void>;
  /** The client has broken a rule, or there is no room in memory. Nothing more is heard, and the socket closes afterwards. */
  refuse(problem: Problem): void;
  /** The client has left or was idle, and all its messages have been handled. */
  left(): void;
}

const [NORMAL, POLICY_VIOLATION] = [1000, 1008];
const CONTROL_MILLISECONDS = 10_000;
/** Memory of a message beside its bytes, at least. */
const MESSAGE_BYTES = 64;
/** A ping or pong without its data. */
const CONTROL_FRAME_BYTES = 6;

/**
 * One client's WebSocket with the limits of all gateways (`docs/security.md`). Messages are handled one after another. What has arrived and is not handled
 * yet, unfinished messages included, and what the client has not taken yet count in the memory budget.
 */
export class ClientSocket {
  readonly #socket: WebSocket;
  readonly #deps: SocketDeps;
  readonly #rules: SocketRules;
  readonly #subject: string;
  readonly #user: SocketUser;
  readonly #memory: HeldMemory;
  readonly #idle: IdleLimit;
  readonly #over = new AbortController();
  /** Resolves when the socket is closed and all messages have been handled. */
  readonly closed: Promise<void>;
  /** The client has sent everything, so it may be silent without being closed. */
  mayBeSilent = false;
  #handling: Promise<void> = Promise.resolve();
  /** Bytes of messages that wait to be handled. */
  #unread = 0;
  /** Bytes that arrived since the last message. */
  #unfinished = 0;
  /** The user has sent too many messages in this second. */
  #isHeld = false;
  /** Memory had no room for what came or was to be sent. */
  #isFull = false;
  #isRefused = false;
  #hasLeft = false;
  #controls = 0;
  #controlsSince: number;

  /** `connection` is the one that carries the socket. */
  constructor(socket: WebSocket, connection: Duplex, deps: SocketDeps, rules: SocketRules, subject: string, user: SocketUser) {
    this.#socket = socket;
    this.#deps = deps;
    this.#rules = rules;
    this.#subject = subject;
    this.#user = user;
    this.#memory = deps.memory.open(subject);
    this.#idle = new IdleLimit(deps.clock, rules);
    this.#controlsSince = deps.clock.monotonic();
    // Each message that is being sent listens.
    setMaxListeners(0, this.over);
    // First, since `ws` may complete a message with these bytes.
    connection.prependListener('data', (chunk: Uint8Array) => this.#arrived(chunk.length));
    socket.on('message', (data, isBinary) => this.#hear(data, isBinary));
    socket.on('ping', (data) => {
      this.#heardControlFrame(data);
      this.control();
    });
    socket.on('pong', (data) => this.#heardControlFrame(data));
    // For a violation of the protocol, or a message that is too large, `ws` closes with its own code.
    socket.on('error', ({ message }) => {
      const problem = badRequest(`The WebSocket protocol was violated: ${message}.`);
      this.#handling = this.#handling.then(() => this.#refuse(problem));
    });
    this.closed = new Promise<void>((resolve) => socket.once('close', () => resolve(this.#leave()))).finally(() => this.#memory.release());
    void this.#watchIdle();
  }

  /** Aborts when the client has left or the session has ended. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Bytes that the client has not taken yet. */
  get untaken(): number {
    return this.#socket.bufferedAmount;
  }

  /** A message is not only a sign of life. */
  worked(): void {
    this.#idle.work();
  }

  /** Counts a KEEP_ALIVE, CONFIGURATION or ping. Above the limit, closes with 1008. */
  control(): void {
    const now = this.#deps.clock.monotonic();
    if (now - this.#controlsSince >= CONTROL_MILLISECONDS) [this.#controls, this.#controlsSince] = [0, now];
    this.#controls += 1;
    const { socketControlMessages: most } = this.#deps.limits;
    if (this.#controls > most)
      this.#refuse(badRequest(`A session may send ${most} KEEP_ALIVE, CONFIGURATION and ping messages in 10 seconds.`), POLICY_VIOLATION);
  }

  /** Counts bytes that the session holds. Without room, refuses the client, reads nothing more of it and throws the reason. */
  hold(bytes: number): void {
    try {
      this.#memory.take(bytes);
    } catch (error) {
      this.#isFull = true;
      this.#socket.pause();
      if (!this.#isRefused) {
        this.#refuse(problemOf(error) ?? unforeseen(), this.#rules.noRoomCode);
        throw error;
      }
      // The reason of a refusal is sent even if there is no room.
      this.#memory.add(bytes);
    }
  }

  give(bytes: number): void {
    this.#memory.give(bytes);
  }

  /** Resolves when the connection has taken the message, is gone, or the session is over. Rejects without room in memory. */
  async send(data: string | Uint8Array): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const bytes = Buffer.byteLength(data);
    this.hold(bytes);
    const { signal } = this.#over;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#socket.send(data, () => {
        this.give(bytes);
        done();
      });
      if (signal.aborted) done();
    });
  }

  /** Ends the session's waits and closes. Nothing more is heard. */
  end(): void {
    this.#isRefused = true;
    this.#over.abort(OVER);
    this.close();
  }

  close(code = NORMAL, reason = ''): void {
    this.#socket.close(code, reason);
    // A socket that is not read does not receive the other side's close. `ws` cuts it off after some seconds.
    if (!this.#isFull) this.#socket.resume();
  }

  #arrived(bytes: number): void {
    this.#unfinished += bytes;
    this.#tryToHold(bytes);
  }

  #heardControlFrame(data: Uint8Array): void {
    this.#idle.signOfLife();
    this.#countMessage();
    const bytes = Math.min(this.#unfinished, data.length + CONTROL_FRAME_BYTES);
    this.#unfinished -= bytes;
    this.give(bytes);
  }

  #hear(data: RawData, isBinary: boolean): void {
    this.give(this.#unfinished);
    this.#unfinished = 0;
    if (this.#isRefused || this.#hasLeft) return;
    const bytes = bytesOf(data);
    const size = bytes.length + MESSAGE_BYTES;
    this.#idle.signOfLife();
    if (!this.#tryToHold(size)) return;
    this.#unread += size;
    this.#countMessage();
    this.#readOrWait();
    this.#handling = this.#handling.then(() => this.#handle(bytes, isBinary, size));
  }

  async #handle(bytes: Uint8Array, isBinary: boolean, size: number): Promise<void> {
    if (!this.#isRefused) await this.#user.hear(bytes, isBinary);
    this.#unread -= size;
    this.give(size);
    this.#readOrWait();
  }

  #tryToHold(bytes: number): boolean {
    try {
      this.hold(bytes);
      return true;
    } catch {
      return false;
    }
  }

  #countMessage(): void {
    const wait = this.#deps.rate.count(this.#subject);
    if (wait === 0 || this.#isHeld) return;
    this.#isHeld = true;
    this.#readOrWait();
    void this.#deps.clock.pause(wait, this.over).then(() => {
      this.#isHeld = false;
      this.#readOrWait();
    });
  }

  #readOrWait(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const mustWait = this.#isHeld || this.#unread >= this.#deps.limits.socketUnreadBytes;
    if (mustWait && !this.#socket.isPaused) this.#socket.pause();
    else if (!mustWait && this.#socket.isPaused) this.#socket.resume();
  }

  #refuse(problem: Problem, code?: number): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#user.refuse(problem);
    if (code !== undefined) this.close(code, problem.message);
  }

  async #leave(): Promise<void> {
    if (this.#hasLeft) return this.#handling;
    this.#hasLeft = true;
    this.#over.abort(OVER);
    this.#handling = this.#handling.then(() => this.#user.left());
    await this.#handling;
  }

  async #watchIdle(): Promise<void> {
    const excused = () => this.mayBeSilent || this.#unread > 0 || this.#socket.isPaused;
    const ping = () => {
      if (this.#rules.pings && this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    };
    if (!(await this.#idle.passed(excused, this.over, ping))) return;
    void this.#leave();
    this.close();
  }
}

/** The bytes of a message in any form that `ws` gives it. */
const bytesOf = (data: RawData): Uint8Array => {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
};
