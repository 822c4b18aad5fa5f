import type { ServerResponse } from 'node:http';
import { Problem } from '../../domain/problem.ts';
import { BytesOfUsers } from '../bytesOfUsers.ts';
import { type HeldBy, noRoom } from '../noRoom.ts';
import { connectionClosed } from '../server/errors.ts';

const MEBIBYTE = 1_048_576;
const [PER_USER, IN_TOTAL] = [72 * MEBIBYTE, 144 * MEBIBYTE];
/** Reads up to this size are not refused because of other users. */
const SMALL = MEBIBYTE;

/** Bytes that open exports and live reads of all users hold. */
const heldBytes = new BytesOfUsers();

/** Bytes that one export or live read holds in memory until its answer has ended. */
export class HeldRead {
  readonly #user: string;
  readonly #all: BytesOfUsers;
  #bytes = 0;
  #isOver = false;

  /** Throws if the connection has ended. */
  constructor(user: string, outgoing: Pick<ServerResponse, 'once' | 'destroyed'>, all: BytesOfUsers = heldBytes) {
    this.#user = user;
    this.#all = all;
    // Its close event has already fired: nothing would release the bytes.
    if (outgoing.destroyed) throw connectionClosed();
    outgoing.once('close', () => this.#release());
  }

  /**
   * Throws 400 if this read alone holds too much, and 503 with `Retry-After` if the user's reads, or those of all users, do so together. Also throws if
   * the connection has ended: nothing would release the bytes.
   */
  add(bytes: number): void {
    if (this.#isOver) throw connectionClosed();
    if (this.#bytes + bytes > PER_USER) throw tooLarge();
    const heldBy = this.#filledBy(bytes);
    if (heldBy) throw noRoom(heldBy);
    this.#bytes += bytes;
    this.#all.add(this.#user, bytes);
  }

  #filledBy(bytes: number): HeldBy | null {
    const all = this.#all;
    if (all.of(this.#user) + bytes > PER_USER) return 'user';
    if (this.#bytes + bytes <= SMALL) return null;
    return all.total + bytes > IN_TOTAL ? 'all' : all.filledBy(this.#user, bytes);
  }

  #release(): void {
    this.#isOver = true;
    this.#all.add(this.#user, -this.#bytes);
    this.#bytes = 0;
  }
}

export const tooLarge = (): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', 'These results are too large for one answer. Export fewer streams, or use the format EVENTS.');
