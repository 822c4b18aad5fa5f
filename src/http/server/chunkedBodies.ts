import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { Newcomers } from './newcomers.ts';

/** A read of 64 KiB with more chunks than this is dense: parsing them takes longer than anything else that the read causes. */
const DENSE_CHUNKS = 256;
/** After a dense read, the next one of any connection waits for this time for each chunk: about three times what parsing it took. */
const MILLISECONDS_A_CHUNK = 0.003;
/** Chunks of at least this size are not copied. */
const LARGE_CHUNK_BYTES = 4_096;
/** Node reads at most this much at once. */
const READ_BYTES = 65_536;
/** Bodies that may be read in a turn while no read is dense: many live sources must not wait for one another. */
const CALM_IN_A_TURN = 32;

interface Body {
  readonly incoming: IncomingMessage;
  readonly push: (chunk: Uint8Array | null) => boolean;
  /** Lets Node read the connection. */
  readonly read: () => void;
  /** Nothing has been read since the read that had the headers. */
  isNew: boolean;
  /** The last read was dense. */
  isDense: boolean;
}

/** Bodies that wait to be read, in the order in which they came. */
class Line {
  readonly #waiting: Body[] = [];
  readonly #atOnce: number;
  readonly #turn: () => Promise<void>;
  readonly #read: (body: Body) => void;
  #isMoving = false;

  /** `turn` resolves when the next `atOnce` bodies may be read. */
  constructor(atOnce: number, turn: () => Promise<void>, read: (body: Body) => void) {
    this.#atOnce = atOnce;
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
      for (const next of this.#waiting.splice(0, this.#atOnce)) this.#read(next);
    }
    this.#isMoving = false;
  }
}

/**
 * Bodies with `Transfer-Encoding: chunked`. One read of a connection may hold 10,000 chunks of one byte. Node announces each of them: some ten
 * milliseconds in one turn of the event loop, and a buffer for each chunk.
 *
 * - Small chunks of one read become one piece.
 * - At most one dense read takes place in a turn of the event loop: after it, the connections that wait for data are not read before the next turn.
 * - Connections whose last read was dense are read one after another, and get a quarter of the time of the event loop together.
 * - At most 32 other connections begin to wait for data in a turn.
 */
export class ChunkedBodies {
  readonly #clock: Pick<Clock, 'monotonic' | 'pause'>;
  readonly #newcomers: Pick<Newcomers, 'blame'>;
  readonly #calm = new Line(CALM_IN_A_TURN, nextTurn, (body) => this.#read(body));
  readonly #dense = new Line(
    1,
    () => this.#denseTurn(),
    (body) => this.#read(body),
  );
  /** Monotonic time of the next dense read. */
  #denseAt = 0;
  /** Bodies that Node reads as soon as data arrive. */
  readonly #open = new Set<Body>();
  /** The body of the current read, its chunks in this read, and the bytes that have not been passed on. */
  #current: Body | null = null;
  #chunks = 0;
  readonly #block = Buffer.allocUnsafe(READ_BYTES);
  #bytes = 0;

  constructor(clock: Pick<Clock, 'monotonic' | 'pause'>, newcomers: Pick<Newcomers, 'blame'>) {
    this.#clock = clock;
    this.#newcomers = newcomers;
  }

  /** Call it before anything reads the body. */
  take(incoming: IncomingMessage): void {
    const body: Body = {
      ...{ incoming, isNew: true, isDense: false },
      push: incoming.push.bind(incoming),
      read: incoming._read.bind(incoming, 0),
    };
    incoming.push = (chunk: Uint8Array | null) => {
      if (chunk !== null) return this.#receive(body, chunk);
      if (this.#current === body) this.#endRead();
      this.#open.delete(body);
      return body.push(null);
    };
    incoming._read = () => (body.isDense ? this.#dense : this.#calm).enter(body);
    // Node would read the rest of an answered request's body without announcing it.
    Object.assign(incoming, { _dump: () => incoming.resume() });
    incoming.once('close', () => this.#open.delete(body));
    incoming.socket.pause();
  }

  /** Returns false: Node stops reading the connection until it is the body's turn. */
  #receive(body: Body, chunk: Uint8Array): false {
    if (this.#current !== body) this.#beginRead(body);
    this.#chunks += 1;
    if (this.#chunks > DENSE_CHUNKS && !body.isDense) this.#becomeDense(body);
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
    body.isDense = false;
    this.#open.delete(body);
    setImmediate(() => {
      if (this.#current === body) this.#endRead();
    });
  }

  #endRead(): void {
    const body = this.#current;
    const chunks = this.#chunks;
    this.#current = null;
    this.#chunks = 0;
    if (!body) return;
    if (body.isDense) {
      this.#denseAt = Math.max(this.#denseAt, this.#clock.monotonic()) + chunks * MILLISECONDS_A_CHUNK;
      // Only the first read of a request cannot wait for its turn.
      if (body.isNew) this.#newcomers.blame(body.incoming.socket, chunks * MILLISECONDS_A_CHUNK);
    }
    this.#passOn(body);
  }

  #passOn(body: Body): void {
    if (this.#bytes === 0) return;
    const piece = Buffer.from(this.#block.subarray(0, this.#bytes));
    this.#bytes = 0;
    body.push(piece);
  }

  /** What the other connections have received may be as dense. Node has not read it: it takes turns. */
  #becomeDense(body: Body): void {
    body.isDense = true;
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
