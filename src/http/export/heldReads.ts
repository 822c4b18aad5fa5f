import type { ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problem.ts';
import { BytesOfUsers } from '../bytesOfUsers.ts';
import { connectionClosed } from '../server/errors.ts';

const MEBIBYTE = 1_048_576;
const [PER_USER, IN_TOTAL] = [72 * MEBIBYTE, 144 * MEBIBYTE];
/** Reads up to this size are not refused because of other users. */
const SMALL = MEBIBYTE;

/** While others are refused, the reader of a large answer must take bytes at this rate, or is cut off. */
const [LEAST_BYTES, LOOK_MILLISECONDS] = [5 * MEBIBYTE, 5_000];

type Outgoing = Pick<ServerResponse, 'once' | 'destroyed' | 'destroy' | 'writableLength' | 'socket'>;

/** Open exports and live reads of all users. */
export class OpenReads {
  readonly bytes: BytesOfUsers;
  readonly reads = new Set<HeldRead>();

  constructor(bytes = new BytesOfUsers()) {
    this.bytes = bytes;
  }
}

const openReads = new OpenReads();

/** Bytes that one export or live read holds in memory until its answer has ended. */
export class HeldRead {
  readonly #user: string;
  readonly #outgoing: Outgoing;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #open: OpenReads;
  #bytes = 0;
  #isOver = false;
  /** What the reader had taken when somebody else was first refused. */
  #seen: { readonly at: number; readonly taken: number } | null = null;

  /** Throws if the connection has ended. */
  constructor(user: string, outgoing: Outgoing, clock: Pick<Clock, 'monotonic'>, open = openReads) {
    this.#user = user;
    this.#outgoing = outgoing;
    this.#clock = clock;
    this.#open = open;
    // Its close event has already fired: nothing would release the bytes.
    if (outgoing.destroyed) throw connectionClosed();
    open.reads.add(this);
    outgoing.once('close', () => this.#release());
  }

  /**
   * Throws 400 if this read alone holds too much, and 503 with `Retry-After` if the user's reads, or those of all users, do so together. Also throws if
   * the connection has ended: nothing would release the bytes.
   */
  add(bytes: number): void {
    if (this.#isOver) throw connectionClosed();
    if (this.#bytes + bytes > PER_USER) throw tooLarge();
    const all = this.#open.bytes;
    const own = all.of(this.#user) + bytes > PER_USER;
    const full = all.total + bytes > IN_TOTAL || !all.hasRoom(this.#user, bytes);
    if (own || (this.#bytes + bytes > SMALL && full)) {
      if (!own) for (const read of this.#open.reads) read.cutOffIfSlow();
      throw new Problem(
        'GENERAL_INTERNAL_ERROR',
        own
          ? 'Your open exports and live reads hold too much memory. Read them or close their connections, then try again.'
          : 'Open exports and live reads hold too much memory. Try again.',
        { statusCode: 503, title: 'Unavailable', headers: { 'Retry-After': '2' } },
      );
    }
    this.#bytes += bytes;
    all.add(this.#user, bytes);
  }

  /** For when somebody else was refused. A read that waits for the server, or for a stream, is not slow. */
  cutOffIfSlow(): void {
    if (this.#bytes <= SMALL || this.#outgoing.writableLength === 0) {
      this.#seen = null;
      return;
    }
    const now = this.#clock.monotonic();
    const taken = this.#outgoing.socket?.bytesWritten ?? 0;
    this.#seen ??= { at: now, taken };
    if (now - this.#seen.at < LOOK_MILLISECONDS) return;
    if (taken - this.#seen.taken < LEAST_BYTES) this.#outgoing.destroy();
    else this.#seen = { at: now, taken };
  }

  #release(): void {
    this.#isOver = true;
    this.#open.reads.delete(this);
    this.#open.bytes.add(this.#user, -this.#bytes);
    this.#bytes = 0;
  }
}

export const tooLarge = (): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', 'These results are too large for one answer. Export fewer streams, or use the format EVENTS.');
