import type { GatherRoom } from '../../stores/pump.ts';
import { BytesOfUsers } from '../bytesOfUsers.ts';

const MEBIBYTE = 1_048_576;
/** A user who holds no more than this is never told to gather less because of others. */
const MODEST = 2 * MEBIBYTE;

interface GatheredLimits {
  readonly perUser: number;
  readonly inTotal: number;
}

const DEFAULT_LIMITS: GatheredLimits = { perUser: 4 * MEBIBYTE, inTotal: 16 * MEBIBYTE };

/** Bytes of uploads that have arrived and are not written yet. Above a limit, each upload gathers smaller frames and reads its client more slowly. */
export class GatheredBytes {
  readonly #limits: GatheredLimits;
  readonly #bytes: BytesOfUsers;

  constructor(limits: GatheredLimits = DEFAULT_LIMITS, bytes = new BytesOfUsers()) {
    this.#limits = limits;
    this.#bytes = bytes;
  }

  roomOf(user: string): GatherRoom {
    const bytes = this.#bytes;
    const { perUser, inTotal } = this.#limits;
    return {
      add: (count) => bytes.add(user, count),
      get isFull() {
        const own = bytes.of(user);
        return own > perUser || (own > MODEST && bytes.total > inTotal);
      },
    };
  }
}

/** Of all uploads of this process. */
export const gatheredBytes = new GatheredBytes();
