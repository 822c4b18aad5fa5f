import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../clock.ts';

/** A read with more lines than this is dense, unless they are part of a body of known length. */
const DENSE_LINES = 256;
/** Lines of a dense read that are parsed in one turn of the event loop. */
const LINES_A_TURN = 2_048;
/** A blank line counts as this many more: it ends the headers of a request, and a request takes as long as some chunks. */
const BLANK_LINE = 32;
/** A part of a dense read counts as at least this long. */
const LEAST_MILLISECONDS = 1;
/** Pause after a part of a dense read before the next one of any connection, as a multiple of its duration. */
const WAITS = 7;
/** The longest such pause: a part may take long because the process was stopped. */
const MOST_MILLISECONDS = 500;
/** After this time of one turn of the event loop, further reads wait for the next turn. */
const TURN_MILLISECONDS = 20;

const LINE_END = Buffer.from('\r\n');

/** What Node does not document of a socket. The tests pass on Node 20, 22 and 24. */
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
  /** Its last request. */
  incoming: IncomingMessage | null;
  /** Bytes of that request's body that are still to come, if its length is known. */
  bodyLeft: number;
  /** Bytes that were read but not parsed, and how many of them are parsed next. Nothing more is read meanwhile. */
  held: Buffer | null;
  next: number;
  /** What is held stands in a line. */
  isInLine: boolean;
  /** The client sends nothing more. */
  hasEnded: boolean;
}

/**
 * When the reads of connections are parsed. Node would parse each read as it arrives, all of a turn of the event loop one after the other, and one read of
 * 64 KiB may hold 10,000 chunks of a body or 1,600 requests.
 *
 * - Once a turn has taken 20 ms, further reads wait for the next turn. Those of new connections and of others are taken alternately.
 * - Dense reads are parsed in parts, one after another. All connections that send them get an eighth of the time of the event loop together.
 *
 * Node must leave the reading to the stream of the socket (`_consumed`), where this takes the place of `push`. What waits stays in the order in which it
 * came, and so does what follows an upgrade, which passes unchanged. A paused connection is neither read nor parsed.
 */
export class PacedReads {
  readonly #clock: Pick<Clock, 'monotonic' | 'pause'>;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Connections that wait for the next turn: those that have sent a request before, and new ones. */
  readonly #known: Connection[] = [];
  readonly #new: Connection[] = [];
  #isNewNext = false;
  readonly #dense: Connection[] = [];
  #isReadingDense = false;
  /** Monotonic time of the next part of a dense read. */
  #denseAt = 0;
  /** Monotonic time of the first read of this turn. */
  #turnBegan: number | null = null;

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
      ...{ socket, push: socket.push.bind(socket), start: handle.readStart.bind(handle) },
      ...{ incoming: null, bodyLeft: 0, held: null, next: 0, isInLine: false, hasEnded: false },
    };
    this.#connections.set(socket, connection);
    handle._consumed = true;
    handle.readStart = () => (isOpen(connection) ? connection.start() : 0);
    socket.push = (bytes: Buffer | null) => this.#receive(connection, bytes);
    socket.on('resume', () => (connection.held ? this.#enterLine(connection) : startReading(connection)));
    socket.once('close', () => {
      connection.held = null;
    });
  }

  /** Call it when a request is announced. */
  requested(incoming: IncomingMessage): void {
    const connection = this.#connections.get(incoming.socket);
    if (!connection) return;
    connection.incoming = incoming;
    connection.bodyLeft = incoming.headers['transfer-encoding'] === undefined ? Number(incoming.headers['content-length'] ?? 0) : 0;
    if (connection.bodyLeft > 0) countFirstPiece(connection, incoming);
  }

  #receive(connection: Connection, bytes: Buffer | null): boolean {
    const { socket, push, held } = connection;
    if (!socket.parser) return push(bytes);
    if (bytes === null) {
      connection.hasEnded = true;
      return held ? false : push(null);
    }
    if (lightLength(connection, bytes) === bytes.length && !socket.isPaused() && !this.#isLate()) return parse(connection, bytes);
    connection.held = bytes;
    this.#enterLine(connection);
    return false;
  }

  #isLate(): boolean {
    const now = this.#clock.monotonic();
    if (this.#turnBegan !== null) return now - this.#turnBegan > TURN_MILLISECONDS;
    this.#turnBegan = now;
    setImmediate(() => {
      this.#turnBegan = null;
    });
    return false;
  }

  /** A paused connection stays out until it resumes. */
  #enterLine(connection: Connection): void {
    const { held, isInLine, socket, incoming } = connection;
    if (!held || isInLine || socket.isPaused()) return;
    connection.isInLine = true;
    const light = lightLength(connection, held);
    connection.next = light || partOf(held, LINES_A_TURN).length;
    if (light === 0) {
      this.#dense.push(connection);
      if (!this.#isReadingDense) void this.#readDense();
    } else {
      (incoming ? this.#known : this.#new).push(connection);
      setImmediate(() => this.#readNext());
    }
  }

  #readNext(): void {
    if (this.#isLate()) return void setImmediate(() => this.#readNext());
    const [first, second] = this.#isNewNext ? [this.#new, this.#known] : [this.#known, this.#new];
    this.#isNewNext = !this.#isNewNext;
    const next = first.shift() ?? second.shift();
    if (next) this.#parseNext(next);
  }

  /** Whether it was parsed. A paused connection enters a line again when it resumes. */
  #parseNext(connection: Connection): boolean {
    connection.isInLine = false;
    const { held, next, socket, push } = connection;
    if (!held || socket.destroyed || socket.isPaused()) return false;
    connection.held = next < held.length ? held.subarray(next) : null;
    parse(connection, held.subarray(0, next));
    if (connection.held && !socket.parser) {
      push(connection.held);
      connection.held = null;
    }
    if (connection.held) this.#enterLine(connection);
    else if (connection.hasEnded) {
      push(null);
      socket.read(0);
    } else startReading(connection);
    return true;
  }

  async #readDense(): Promise<void> {
    this.#isReadingDense = true;
    for (let next = this.#dense.shift(); next; next = this.#dense.shift()) {
      for (let left = this.#denseLeft; left > 0; left = this.#denseLeft) await this.#clock.pause(Math.ceil(left));
      await nextTurn();
      const began = this.#clock.monotonic();
      if (!this.#parseNext(next)) continue;
      const now = this.#clock.monotonic();
      this.#denseAt = now + Math.min(WAITS * Math.max(now - began, LEAST_MILLISECONDS), MOST_MILLISECONDS);
    }
    this.#isReadingDense = false;
  }

  get #denseLeft(): number {
    return this.#denseAt - this.#clock.monotonic();
  }

  /** Whether bytes of the connection wait to be parsed. */
  holds(socket: Socket): boolean {
    return Boolean(this.#connections.get(socket)?.held);
  }
}

/** Whether it may be read. After an upgrade, a connection has no parser. */
const isOpen = ({ socket, held }: Connection): boolean => !socket.parser || !(held || socket.isPaused());

/** Starts reading if Node has asked for it meanwhile. */
const startReading = (connection: Connection): void => {
  if (connection.socket._handle?.reading && isOpen(connection)) connection.start();
};

const parse = (connection: Connection, bytes: Buffer): boolean => {
  // Then all of them are of the body.
  if (connection.bodyLeft > 0) connection.bodyLeft -= bytes.length;
  return connection.push(bytes);
};

/** Counts what the read that announces the request has of its body. */
const countFirstPiece = (connection: Connection, incoming: IncomingMessage): void => {
  const { push } = incoming;
  incoming.push = (piece: Uint8Array | null) => {
    connection.bodyLeft -= piece?.length ?? 0;
    return push.call(incoming, piece);
  };
  // Runs before another connection is read.
  process.nextTick(() => {
    incoming.push = push;
  });
};

/** How many of the bytes may be parsed in one turn of the event loop. */
const lightLength = ({ incoming, bodyLeft }: Connection, bytes: Buffer): number => {
  if (bodyLeft > 0) return Math.min(bodyLeft, bytes.length);
  const { length, head } = partOf(bytes, DENSE_LINES);
  if (length === bytes.length) return length;
  // The lines may be text of a body of known length.
  const isHead = !incoming || incoming.complete;
  return isHead && /\r\ncontent-length:/i.test(bytes.toString('latin1', 0, head)) ? head : 0;
};

/** Length of the first lines up to this count, and of the headers if they end there. */
const partOf = (bytes: Buffer, lines: number): { length: number; head: number } => {
  let head = 0;
  let counted = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at)) {
    at += LINE_END.length;
    const isBlank = bytes[at] === LINE_END[0] && bytes[at + 1] === LINE_END[1];
    if (isBlank) head ||= at + LINE_END.length;
    counted += isBlank ? 1 + BLANK_LINE : 1;
    if (counted >= lines) return { length: at, head };
  }
  return { length: bytes.length, head };
};

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
