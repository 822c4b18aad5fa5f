import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../clock.ts';

/** At most this much is parsed in a step, unless it is a body of a known length. */
const STEP_BYTES = 16_384;
/** A read of this size or less is parsed at once as long as the turn has room: most requests. */
const SMALL_BYTES = 4_096;
/** Parsing takes this long in a turn of the event loop, beside its last step. Small reads get more. */
const TURN_MILLISECONDS = 5;
const TURN_MILLISECONDS_FOR_SMALL = 20;
/** A step that causes more is dense. An announced chunk counts as 1. */
const DENSE = 64;
const WEIGHT_OF_REQUEST = 16;
/** After a dense step, the next one waits for this many times what it took. */
const WAITS = 3;
/** What parsing takes at least for each count. */
const LEAST_MILLISECONDS = 0.001;
/** While so much of a body of a known length is left, a read holds nothing else, and Node's parser reads the connection itself: that saves copies. */
const LONG_BODY_BYTES = 131_072;
/** Anything but 0, 1 and 2 ends the parsing of a step. */
const END_PARSING = -1;

/** What parses a connection's requests, as Node keeps it. */
interface Parser {
  onIncoming: (incoming: IncomingMessage, shouldKeepAlive: boolean) => number;
  _consumed: boolean;
  consume(handle: Handle): void;
  unconsume(): void;
}

interface Handle {
  reading: boolean;
  readStart(): void;
  readStop(): void;
}

/** Parts of a server's socket that Node does not document. */
type ServerSocket = Socket & {
  /** `null` once the connection was upgraded, another one if the upgrade was ignored. */
  readonly parser?: Parser | null;
  /** Paused until answers have been sent; its parser is paused too. */
  readonly _paused?: boolean;
  readonly _handle?: Handle | null;
};

interface Connection {
  readonly socket: ServerSocket;
  readonly parser: Parser;
  readonly parse: (bytes: Buffer) => void;
  /** Bytes that are left of a body of a known length: nothing in them takes long to parse. */
  left: number;
  /** Whether it has sent a request, and its last step was not dense. */
  isTrusted: boolean;
  isDense: boolean;
  isWaiting: boolean;
  isServed: boolean;
}

export interface ReadsDeps {
  readonly clock: Pick<Clock, 'monotonic' | 'pause'>;
  /** Whether something else holds the connection, and will resume it. */
  readonly isHeld: (socket: Socket) => boolean;
  /** After each step. */
  readonly stepEnded: () => void;
}

/**
 * Parses what connections send in steps (of 16 KiB, or the rest of a body of a known length), and at most for some milliseconds in a turn of the event loop.
 * Node itself would parse a read of 64 KiB in one go, whatever it holds (1,600 requests or 10,000 chunks of a body), and the reads of all connections that sent
 * something in the same turn.
 *
 * - A small read is parsed at once. Of larger ones, those that find the turn full wait for the next turns, in the order in which they came.
 * - A step that held many requests or chunks is dense. Connections whose last step was dense, and meanwhile the larger reads of new ones, are parsed a step at
 *   a time, the addresses in turn. They get a quarter of the time of the event loop together.
 * - Once a connection is closed, the rest of what it sent is not parsed.
 *
 * It takes the place of the `data` listener of Node's HTTP server, which Node does not document. The tests pass on Node 20, 22 and 24.
 */
export class Reads {
  readonly #deps: ReadsDeps;
  /** What takes the bytes of a connection. */
  readonly #takers = new WeakMap<Socket, (bytes: Buffer) => void>();
  readonly #line: Connection[] = [];
  /** By address, the one whose turn it is first. */
  readonly #dense = new Map<string, Connection[]>();
  /** Monotonic time of the next dense step. */
  #denseAt = 0;
  /** What parsing took in this turn, milliseconds. */
  #spent = 0;
  #isAwake = false;
  #isPausing = false;
  /** What the present step has caused. */
  #count = 0;

  constructor(deps: ReadsDeps) {
    this.#deps = deps;
  }

  /** Call it when Node has announced the connection, also when it does so again because an upgrade was ignored. */
  connected(socket: ServerSocket): void {
    this.#leave(socket);
    const { parser } = socket;
    const [parse] = socket.listeners('data');
    if (!parser || !parse) return;
    const connection: Connection = {
      ...{ socket, parser, left: 0, isTrusted: false, isDense: false, isWaiting: false, isServed: false },
      parse: parse.bind(socket),
    };
    const announce = parser.onIncoming;
    parser.onIncoming = (incoming, shouldKeepAlive) => {
      if (socket.destroyed) return END_PARSING;
      this.count(WEIGHT_OF_REQUEST);
      countLeft(connection, incoming);
      return announce(incoming, shouldKeepAlive);
    };
    const take = (bytes: Buffer): void => {
      if (connection.isServed || !this.#mustWait(connection, bytes)) this.#parse(connection, bytes);
      else this.#putBack(connection, bytes);
    };
    this.#takers.set(socket, take);
    socket.off('data', parse as (bytes: Buffer) => void);
    socket.on('data', take);
    // As Node has it while its parser reads the connection itself: nothing is received while it is paused.
    socket.on('pause', stopReceiving).on('resume', receive);
  }

  #leave(socket: Socket): void {
    const take = this.#takers.get(socket);
    if (!take) return;
    this.#takers.delete(socket);
    socket.off('data', take).off('pause', stopReceiving).off('resume', receive);
  }

  /** Counts what the present step has caused. */
  count(weight: number): void {
    this.#count += weight;
  }

  #mustWait(connection: Connection, { length }: Buffer): boolean {
    if (connection.isWaiting || this.#isHeld(connection) || this.#isSlow(connection, length)) return true;
    return this.#spent >= (length <= SMALL_BYTES ? TURN_MILLISECONDS_FOR_SMALL : TURN_MILLISECONDS);
  }

  #isHeld({ socket }: Connection): boolean {
    return socket._paused === true || this.#deps.isHeld(socket);
  }

  /** Whether it waits for the turn of a dense step. */
  #isSlow({ isDense, isTrusted }: Connection, length: number): boolean {
    if (!isDense && (isTrusted || length <= SMALL_BYTES)) return false;
    return this.#dense.size > 0 || this.#deps.clock.monotonic() < this.#denseAt;
  }

  #parse(connection: Connection, bytes: Buffer): void {
    const { socket, parser, parse } = connection;
    for (let at = 0, end = 0; at < bytes.length; at = end) {
      if (at > 0 && (this.#isHeld(connection) || connection.isDense || this.#spent >= TURN_MILLISECONDS)) {
        this.#putBack(connection, bytes.subarray(at));
        return;
      }
      end = at + (connection.left || STEP_BYTES);
      this.#step(connection, () => parse(bytes.subarray(at, end)));
      if (socket.destroyed) return;
      if (socket.parser !== parser) {
        if (!socket.parser) this.#leave(socket);
        // Behind what the upgrade has been given.
        if (end < bytes.length) socket.push(bytes.subarray(end));
        return;
      }
    }
    if (connection.left > LONG_BODY_BYTES && socket.readableLength === 0 && !connection.isWaiting) consume(connection);
  }

  #step(connection: Connection, parse: () => void): void {
    const began = this.#deps.clock.monotonic();
    this.#count = 0;
    parse();
    this.#deps.stepEnded();
    const now = this.#deps.clock.monotonic();
    this.#spent += now - began;
    // Forgets what was spent, in the next turn.
    this.#wake();
    connection.isDense = this.#count > DENSE;
    connection.isTrusted ||= this.#count > 0;
    if (connection.isDense) {
      connection.isTrusted = false;
      this.#denseAt = Math.max(this.#denseAt, now) + WAITS * Math.max(now - began, this.#count * LEAST_MILLISECONDS);
    }
  }

  #putBack(connection: Connection, bytes: Buffer): void {
    const { socket } = connection;
    socket.pause();
    socket.unshift(bytes);
    if (connection.isWaiting || this.#isHeld(connection)) return;
    connection.isWaiting = true;
    if (this.#isSlow(connection, bytes.length)) this.#lineOf(socket).push(connection);
    else this.#line.push(connection);
    this.#wake();
  }

  #lineOf({ remoteAddress = '' }: Socket): Connection[] {
    const line = this.#dense.get(remoteAddress) ?? [];
    this.#dense.set(remoteAddress, line);
    return line;
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isAwake = false;
    this.#spent = 0;
    while (this.#spent < TURN_MILLISECONDS) {
      const next = this.#line.shift() ?? this.#nextDense();
      if (!next) break;
      this.#serve(next);
    }
    if (this.#line.length > 0) this.#wake();
    else if (this.#dense.size > 0) this.#wakeForDense();
  }

  #nextDense(): Connection | undefined {
    const [first] = this.#dense;
    if (!first || this.#deps.clock.monotonic() < this.#denseAt) return undefined;
    const [address, line] = first;
    const next = line.shift();
    this.#dense.delete(address);
    if (line.length > 0) this.#dense.set(address, line);
    return next;
  }

  #wakeForDense(): void {
    const left = this.#denseAt - this.#deps.clock.monotonic();
    if (this.#isPausing) return;
    this.#isPausing = true;
    void this.#deps.clock.pause(Math.max(1, Math.ceil(left))).then(() => {
      this.#isPausing = false;
      this.#wake();
    });
  }

  #serve(connection: Connection): void {
    const { socket } = connection;
    connection.isWaiting = false;
    if (socket.destroyed || this.#isHeld(connection)) return;
    connection.isServed = true;
    // Emits `data`.
    socket.read();
    connection.isServed = false;
    if (socket.parser === connection.parser && !connection.isWaiting && !this.#isHeld(connection)) socket.resume();
  }
}

const countLeft = (connection: Connection, incoming: IncomingMessage): void => {
  connection.left = Number(incoming.headers['content-length'] ?? 0);
  if (connection.left === 0) return;
  const push = incoming.push.bind(incoming);
  incoming.push = (chunk: Uint8Array | null) => {
    connection.left = chunk === null ? 0 : connection.left - chunk.length;
    if (connection.left <= LONG_BODY_BYTES) unconsume(connection);
    const hasRoom = push(chunk);
    // Node pauses the connection now. If it was paused already, that stops nothing.
    if (!hasRoom) stopReceiving.call(connection.socket);
    return hasRoom;
  };
};

const consume = ({ socket, parser }: Connection): void => {
  if (parser._consumed || !socket._handle || socket.isPaused()) return;
  parser._consumed = true;
  parser.consume(socket._handle);
};

const unconsume = ({ parser }: Connection): void => {
  if (!parser._consumed) return;
  parser._consumed = false;
  parser.unconsume();
};

function stopReceiving(this: ServerSocket): void {
  if (!this._handle) return;
  this._handle.reading = false;
  this._handle.readStop();
}

function receive(this: ServerSocket): void {
  if (!this._handle || this._handle.reading) return;
  this._handle.reading = true;
  this._handle.readStart();
}
