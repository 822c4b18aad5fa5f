import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { Newcomers } from './newcomers.ts';

/** A read of 64 KiB with more chunks than this is dense: parsing them takes longer than anything else that the read causes. */
const DENSE_CHUNKS = 256;
/** Pause after a dense read before the next one of any connection, as a multiple of its duration. */
const WAITS = 7;
/** The longest such pause: a read may take long because the process was stopped. */
const MOST_MILLISECONDS = 500;
/** Pause of an address's new connections while a dense first read is being parsed. */
const FIRST_PAUSE_MILLISECONDS = 5;
/** Shortest time for parsing a chunk. */
const MILLISECONDS_A_CHUNK = 0.001;
/** Chunks of at least this size are not copied. */
const LARGE_CHUNK_BYTES = 4_096;
/** Node reads at most this much at once. */
const READ_BYTES = 65_536;
/** Each body counts as at least this many chunks, so at most 32 bodies begin to be read in a turn. */
const FEWEST_COUNTED = 8;

interface Body {
  readonly incoming: IncomingMessage;
  readonly push: (chunk: Uint8Array | null) => boolean;
  /** Lets Node read the connection. */
  readonly read: () => void;
  /** Nothing has been read since the read that had the headers. */
  isNew: boolean;
  /** In the last read. */
  chunks: number;
}

const isDense = ({ chunks }: Body): boolean => chunks > DENSE_CHUNKS;

/** Bodies that wait to be read, in the order in which they came. */
class Line {
  readonly #waiting: Body[] = [];
  readonly #turn: () => Promise<void>;
  readonly #read: (body: Body) => void;
  #isMoving = false;

  /** `turn` resolves when the next bodies may be read: one that is dense, or several whose last reads held as many chunks together. */
  constructor(turn: () => Promise<void>, read: (body: Body) => void) {
    this.#turn = turn;
    this.#read = read;
  }

  enter(body: Body): void {
    this.#waiting.push(body);
    if (!this.#isMoving) void this.#move();
  }

  async #move(): Promise<void> {
    this.#isMoving = true;
    while (this.#waiting.length > 0) {
      await this.#turn();
      this.#readNext();
    }
    this.#isMoving = false;
  }

  #readNext(): void {
    for (let chunks = 0; chunks < DENSE_CHUNKS; ) {
      const next = this.#waiting.shift();
      if (!next) return;
      chunks += Math.max(next.chunks, FEWEST_COUNTED);
      this.#read(next);
    }
  }
}

/**
 * Bodies with `Transfer-Encoding: chunked`. One read of a connection may hold 10,000 chunks of one byte. Node announces each of them: some ten
 * milliseconds in one turn of the event loop, and a buffer for each chunk.
 *
 * - Small chunks of one read become one piece.
 * - At most one dense read takes place in a turn of the event loop: after it, the connections that wait for data are not read before the next turn.
 * - Connections whose last read was dense are read one after another, and get an eighth of the time of the event loop together.
 * - Of the others, as many begin to wait for data in a turn as had 256 chunks together in their last reads.
 *
 * It replaces `push`, `_read` and `_dump` of Node's requests, which Node does not document. Its tests pass on Node 20, 22 and 24.
 */
export class ChunkedBodies {
  readonly #clock: Pick<Clock, 'monotonic' | 'pause'>;
  readonly #newcomers: Pick<Newcomers, 'blame'>;
  readonly #calm = new Line(nextTurn, (body) => this.#read(body));
  readonly #dense = new Line(
    () => this.#denseTurn(),
    (body) => this.#read(body),
  );
  /** Monotonic time of the next dense read. */
  #denseAt = 0;
  /** Bodies that Node reads as soon as data arrive. */
  readonly #open = new Set<Body>();
  /** The body of the current read, when the read began and ended, and its bytes that have not been passed on. */
  #current: Body | null = null;
  #began = 0;
  #ended: number | null = null;
  readonly #block = Buffer.allocUnsafe(READ_BYTES);
  #bytes = 0;

  constructor(clock: Pick<Clock, 'monotonic' | 'pause'>, newcomers: Pick<Newcomers, 'blame'>) {
    this.#clock = clock;
    this.#newcomers = newcomers;
  }

  /** Call it before anything reads the body. */
  take(incoming: IncomingMessage): void {
    const body: Body = {
      ...{ incoming, isNew: true, chunks: 0 },
      push: incoming.push.bind(incoming),
      read: incoming._read.bind(incoming, 0),
    };
    incoming.push = (chunk: Uint8Array | null) => {
      if (chunk !== null) return this.#receive(body, chunk);
      if (this.#current === body) this.#endRead();
      this.#open.delete(body);
      return body.push(null);
    };
    incoming._read = () => (isDense(body) ? this.#dense : this.#calm).enter(body);
    // Node would read the rest of an answered request's body without announcing it.
    Object.assign(incoming, { _dump: () => incoming.resume() });
    incoming.once('close', () => this.#open.delete(body));
    incoming.socket.pause();
  }

  /** Returns false: Node stops reading the connection until it is the body's turn. */
  #receive(body: Body, chunk: Uint8Array): false {
    if (this.#current !== body) this.#beginRead(body);
    body.chunks += 1;
    if (body.chunks === DENSE_CHUNKS + 1) this.#pauseOthers(body);
    if (chunk.length >= LARGE_CHUNK_BYTES) {
      this.#passOn(body);
      body.push(chunk);
      return false;
    }
    if (this.#bytes + chunk.length > READ_BYTES) this.#passOn(body);
    this.#block.set(chunk, this.#bytes);
    this.#bytes += chunk.length;
    return false;
  }

  #beginRead(body: Body): void {
    this.#endRead();
    this.#current = body;
    this.#began = this.#clock.monotonic();
    this.#ended = null;
    body.chunks = 0;
    // Runs before another connection is read.
    process.nextTick(() => {
      if (this.#current === body) this.#ended = this.#clock.monotonic();
    });
    this.#open.delete(body);
    setImmediate(() => {
      if (this.#current === body) this.#endRead();
    });
  }

  #endRead(): void {
    const body = this.#current;
    this.#current = null;
    if (!body) return;
    if (isDense(body)) {
      const now = this.#clock.monotonic();
      const took = Math.max((this.#ended ?? now) - this.#began, body.chunks * MILLISECONDS_A_CHUNK);
      const pause = Math.min(WAITS * took, MOST_MILLISECONDS);
      this.#denseAt = Math.max(this.#denseAt, now) + pause;
      // Only the first read of a request cannot wait for its turn.
      if (body.isNew) this.#newcomers.blame(body.incoming.socket, pause);
    }
    this.#passOn(body);
  }

  #passOn(body: Body): void {
    if (this.#bytes === 0) return;
    const piece = Buffer.from(this.#block.subarray(0, this.#bytes));
    this.#bytes = 0;
    body.push(piece);
  }

  /** Other connections may have received as many chunks, which Node has not read yet. They wait for their turns. */
  #pauseOthers(dense: Body): void {
    if (dense.isNew) this.#newcomers.blame(dense.incoming.socket, FIRST_PAUSE_MILLISECONDS);
    for (const other of this.#open) {
      other.incoming.socket.pause();
      this.#calm.enter(other);
    }
    this.#open.clear();
  }

  #read(body: Body): void {
    // The rest of a complete body is in memory, and its connection may be held for other reasons.
    if (body.incoming.complete || body.incoming.destroyed) return;
    body.isNew = false;
    this.#open.add(body);
    body.read();
  }

  async #denseTurn(): Promise<void> {
    for (let left = this.#left; left > 0; left = this.#left) await this.#clock.pause(Math.ceil(left));
    await nextTurn();
  }

  get #left(): number {
    return this.#denseAt - this.#clock.monotonic();
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
