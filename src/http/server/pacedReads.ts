import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import { type Body, type Piece, pieceOf } from './linesOfReads.ts';
import { endsWithEmptyLine, headerEnd, UnfinishedHeaders } from './unfinishedHeaders.ts';

/** A read with more lines than this is dense. */
const DENSE_LINES = 256;
/** Lines of a dense read that are parsed in one turn of the event loop. */
const LINES_A_TURN = 2_048;
/** A part of a dense read counts as at least this long. */
const SHORTEST_PART_MILLISECONDS = 1;
/** Pause after a part of a dense read before the next one of any connection, as a multiple of its duration. */
const PAUSE_FACTOR = 7;
/** The longest such pause: a part may take long because the process was stopped. */
const LONGEST_PAUSE_MILLISECONDS = 500;
/** After this time of one turn of the event loop, further reads wait for the next turn. */
const TURN_MILLISECONDS = 20;
/** After this time, further ends of connections do: what the operating system reports of thousands has taken its time already. */
const ENDS_MILLISECONDS = 5;

/** Undocumented parts of Node's sockets. The tests pass on Node 20, 22 and 24. */
interface NodeSocket extends Socket {
  readonly parser?: object | null;
  readonly _handle: { _consumed: boolean; reading: boolean; readStart: () => number } | null;
}

interface Connection {
  readonly socket: NodeSocket;
  /** Node's own: parses the bytes at once, if the connection is not paused. */
  readonly push: (bytes: Buffer | null) => boolean;
  /** Starts reading from the operating system. */
  readonly start: () => number;
  lastRequest: IncomingMessage | null;
  /** The request that the bytes being parsed have announced, and how much of its body they hold. */
  announced: { readonly incoming: IncomingMessage; received: number } | null;
  /** Where the parser is in the body of the last request; `null` outside of a body, or if that is not known. */
  body: Body | null;
  /** Bytes that were read and wait to be parsed. Nothing more is read meanwhile. */
  held: Buffer | null;
  /** Whether it waits in a line to have them parsed. */
  isInLine: boolean;
}

/**
 * When the reads of connections are parsed. Node would parse each read as it arrives, all of a turn of the event loop one after the other, and one read of
 * 64 KiB may hold 10,000 chunks of a body or 1,600 requests.
 *
 * - Once a turn has taken 20 ms, further reads wait for the next turn. New connections and others take turns then.
 * - Dense reads are parsed in parts, one after another. All connections that send them get an eighth of the time of the event loop together.
 * - Unfinished headers of all connections have a limit (`UnfinishedHeaders`).
 *
 * Node must leave the reading to the stream of the socket (`_consumed`), whose `push` this replaces. Held bytes keep their order. A paused connection is
 * neither read nor parsed. After an upgrade there are no dense reads, and the stream pauses by itself; but the turns are the same, because the last bytes
 * of many messages may arrive together.
 */
export class PacedReads {
  readonly #clock: Pick<Clock, 'monotonic' | 'pause'>;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Connections that wait for the next turn: those that have sent a request before, and new ones. */
  readonly #known: Connection[] = [];
  readonly #new: Connection[] = [];
  #isNewNext = false;
  /** Ends of connections that wait for their turn. */
  readonly #ends: (() => void)[] = [];
  /** A connection has ended in this turn. */
  #hasEnded = false;
  /** A waiting connection has been read in this turn. */
  #hasReadWaiting = false;
  readonly #dense: Connection[] = [];
  #isReadingDense = false;
  /** Monotonic time of the next part of a dense read. */
  #denseAt = 0;
  /** Monotonic time of the first read of this turn. */
  #turnBegan: number | null = null;
  readonly #unfinished = new UnfinishedHeaders();

  constructor(clock: Pick<Clock, 'monotonic' | 'pause'>) {
    this.#clock = clock;
  }

  /** Call it before Node's own listener for new connections. */
  connected(socket: Socket): void {
    // Node announces a connection a second time if its upgrade is ignored.
    if (!this.#connections.has(socket)) this.#take(socket as NodeSocket);
  }

  #take(socket: NodeSocket): void {
    const handle = socket._handle;
    if (!handle) return;
    const connection: Connection = {
      socket,
      push: socket.push.bind(socket),
      start: handle.readStart.bind(handle),
      lastRequest: null,
      announced: null,
      body: null,
      held: null,
      isInLine: false,
    };
    this.#connections.set(socket, connection);
    handle._consumed = true;
    handle.readStart = () => (isOpen(connection) ? connection.start() : 0);
    socket.push = (bytes: Buffer | null) => (bytes ? this.#receive(connection, bytes) : this.#end(() => connection.push(null)));
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error) => {
      if (isReset(error)) this.#end(() => destroy(error));
      else destroy(error);
      return socket;
    };
    socket.on('resume', () => (connection.held ? this.#enterLine(connection) : startReading(connection)));
    socket.once('close', () => {
      connection.held = null;
      this.#unfinished.set(socket, 0);
    });
  }

  /** Call it when a request is announced, after everything else that replaces its `push`: the present one is put back in the next tick. */
  requested(incoming: IncomingMessage): void {
    const connection = this.#connections.get(incoming.socket);
    if (connection) announce(connection, incoming);
  }

  /** Whether bytes of the connection wait to be parsed. */
  holds(socket: Socket): boolean {
    return Boolean(this.#connections.get(socket)?.held);
  }

  /** Whether the connection may be read further. */
  #receive(connection: Connection, bytes: Buffer): boolean {
    const isLate = this.#isLate();
    if (!isLate && !connection.socket.parser) return connection.push(bytes);
    connection.held = bytes;
    if (isLate || isPaused(connection)) this.#enterLine(connection);
    else {
      const first = pieceOf(connection, bytes, DENSE_LINES);
      if (first.isDense) this.#enterLine(connection);
      else this.#parse(connection, first);
    }
    return connection.held === null;
  }

  /** Thousands of clients may end at the same moment, and each may take more than 0.1 ms. Returns `false`: nothing more comes. */
  #end(end: () => void): false {
    this.#ends.push(end);
    setImmediate(() => this.#endNext());
    return false;
  }

  #endNext(): void {
    // At least one in a turn, however long other work takes.
    if (this.#hasEnded && this.#isLate(ENDS_MILLISECONDS)) return void setImmediate(() => this.#endNext());
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      setImmediate(() => {
        this.#hasEnded = false;
      });
    }
    this.#ends.shift()?.();
  }

  /** Parses the piece, and what is held behind it as far as it may be parsed in the same turn. */
  #parse(connection: Connection, piece: Piece): void {
    const { socket } = connection;
    let next = piece;
    while (connection.held) {
      this.#unfinished.set(socket, parseHeld(connection, connection.held, next, this.#unfinished.of(socket)));
      if (!connection.held || !socket.parser) break;
      next = pieceOf(connection, connection.held, DENSE_LINES);
      if (next.isDense || socket.destroyed || socket.isPaused() || this.#isLate()) return void this.#enterLine(connection);
    }
    this.#passOn(connection);
  }

  /** Passes on the bytes behind an upgrade that wait, if any. */
  #passOn(connection: Connection): void {
    const { held } = connection;
    connection.held = null;
    if (held) connection.push(held);
    startReading(connection);
  }

  #isLate(milliseconds = TURN_MILLISECONDS): boolean {
    const now = this.#clock.monotonic();
    if (this.#turnBegan !== null) return now - this.#turnBegan > milliseconds;
    this.#turnBegan = now;
    setImmediate(() => {
      this.#turnBegan = null;
    });
    return false;
  }

  /** A paused connection enters when it resumes. Dense bytes move to the line of dense reads at their turn. */
  #enterLine(connection: Connection): void {
    const { held, isInLine, lastRequest } = connection;
    if (!held || isInLine || isPaused(connection)) return;
    connection.isInLine = true;
    (lastRequest ? this.#known : this.#new).push(connection);
    setImmediate(() => this.#readNext());
  }

  #readNext(): void {
    // At least one in a turn, however long other work takes.
    if (this.#hasReadWaiting && this.#isLate()) return void setImmediate(() => this.#readNext());
    this.#noteWaitingRead();
    const [first, second] = this.#isNewNext ? [this.#new, this.#known] : [this.#known, this.#new];
    this.#isNewNext = !this.#isNewNext;
    const next = first.shift() ?? second.shift();
    if (!next) return;
    next.isInLine = false;
    if (!next.socket.parser) return void this.#passOn(next);
    const piece = nextPieceOf(next, DENSE_LINES);
    if (piece?.isDense) this.#enterDense(next);
    else if (piece) this.#parse(next, piece);
  }

  #enterDense(connection: Connection): void {
    connection.isInLine = true;
    this.#dense.push(connection);
    if (!this.#isReadingDense) void this.#readDense();
  }

  #noteWaitingRead(): void {
    if (this.#hasReadWaiting) return;
    this.#hasReadWaiting = true;
    // Runs in the next turn, before the reads that are put off from this one.
    setImmediate(() => {
      this.#hasReadWaiting = false;
    });
  }

  async #readDense(): Promise<void> {
    this.#isReadingDense = true;
    for (let next = this.#dense.shift(); next; next = this.#dense.shift()) {
      for (let left = this.#denseLeft; left > 0; left = this.#denseLeft) await this.#clock.pause(Math.ceil(left));
      await this.#readPart(next);
    }
    this.#isReadingDense = false;
  }

  /** Parses the next part in a turn of its own. An exception in a listener is uncaught, as it is for other reads, and does not end the line. */
  #readPart(connection: Connection): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        const began = this.#clock.monotonic();
        try {
          connection.isInLine = false;
          if (!connection.socket.parser) return void this.#passOn(connection);
          const part = nextPieceOf(connection, LINES_A_TURN);
          if (!part) return;
          this.#parse(connection, part);
          const now = this.#clock.monotonic();
          this.#denseAt = now + Math.min(PAUSE_FACTOR * Math.max(now - began, SHORTEST_PART_MILLISECONDS), LONGEST_PAUSE_MILLISECONDS);
        } finally {
          resolve();
        }
      });
    });
  }

  get #denseLeft(): number {
    return this.#denseAt - this.#clock.monotonic();
  }
}

/** Whether it comes from reading: the client has reset the connection, or is gone. */
const isReset = (error: Error | undefined): boolean => error !== undefined && 'syscall' in error && error.syscall === 'read';

/** After an upgrade, a connection has no parser: its stream keeps what it gets while it is paused, and stops the reading itself. */
const isPaused = ({ socket }: Connection): boolean => Boolean(socket.parser) && socket.isPaused();

/** Whether it may be read. */
const isOpen = (connection: Connection): boolean => !connection.held && !isPaused(connection);

/** Starts reading if Node has asked for it meanwhile. */
const startReading = (connection: Connection): void => {
  if (connection.socket._handle?.reading && isOpen(connection)) connection.start();
};

/** The piece to parse next; `null` if the connection is closed or paused. A paused one enters a line again when it resumes. */
const nextPieceOf = (connection: Connection, lines: number): Piece | null => {
  const { held, socket } = connection;
  return held && !socket.destroyed && !socket.isPaused() ? pieceOf(connection, held, lines) : null;
};

const isInBody = ({ lastRequest }: Connection): boolean => lastRequest !== null && !lastRequest.complete;

/** Returns how many bytes of an unfinished header there are now. */
const parseHeld = (connection: Connection, held: Buffer, { length, body, isHead }: Piece, unfinished: number): number => {
  const bytes = length < held.length ? held.subarray(0, length) : held;
  const leftBefore = isInBody(connection) ? (connection.body?.left ?? 0) : null;
  connection.held = length < held.length ? held.subarray(length) : null;
  connection.push(bytes);
  const { announced } = connection;
  connection.body = announced ? bodyOf(announced, isHead) : body;
  connection.announced = null;
  if (!connection.socket.parser || isInBody(connection) || endsWithEmptyLine(bytes)) return 0;
  if (announced) return Math.max(0, length - headerEnd(bytes) - announced.received);
  return leftBefore === null ? unfinished + length : Math.max(0, length - leftBefore);
};

/** Counts what the bytes being parsed hold of the request's body. */
const announce = (connection: Connection, incoming: IncomingMessage): void => {
  const { push } = incoming;
  const announced = { incoming, received: 0 };
  connection.lastRequest = incoming;
  connection.announced = announced;
  incoming.push = (piece: Uint8Array | null) => {
    announced.received += piece?.length ?? 0;
    return push.call(incoming, piece);
  };
  // Runs before another connection is read.
  process.nextTick(() => {
    incoming.push = push;
    if (connection.announced !== announced) return;
    // A request whose upgrade is ignored is not parsed here, but comes from the stream's buffer.
    connection.body = bodyOf(announced, false);
    connection.announced = null;
  });
};

const bodyOf = ({ incoming, received }: NonNullable<Connection['announced']>, isHead: boolean): Body | null => {
  if (incoming.complete) return null;
  // Chunks can be followed only from the first one on.
  if (incoming.headers['transfer-encoding'] !== undefined) return isHead && received === 0 ? { isChunked: true, left: 0, line: '' } : null;
  const left = Number(incoming.headers['content-length'] ?? 0) - received;
  return left > 0 ? { isChunked: false, left, line: '' } : null;
};
