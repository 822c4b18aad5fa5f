import type { GatherRoom } from '../../stores/pump.ts';
import { limitBetween, type Memory, processMemory } from '../../supervision/scarceMemory.ts';
import { BytesOfUsers } from '../bytesOfUsers.ts';

const MEBIBYTE = 1_048_576;
/** A user who holds no more than this does not gather less because of others; while memory is scarce, no more than an eighth of it. */
const MODEST = 2 * MEBIBYTE;

interface GatheredLimits {
  readonly perUser: number;
  readonly inTotal: number;
}

/** The share of all limits that is left while memory is scarce. */
const SHARE_WHILE_SCARCE = 1 / 8;

const DEFAULT_LIMITS: GatheredLimits = { perUser: 4 * MEBIBYTE, inTotal: 16 * MEBIBYTE };

/** Bytes of uploads that have arrived and are not written yet. Above a limit, each upload gathers smaller frames and reads its client more slowly. */
export class GatheredBytes {
  readonly #limits: GatheredLimits;
  readonly #bytes: BytesOfUsers;
  readonly #memory: Memory;

  constructor(limits: GatheredLimits = DEFAULT_LIMITS, bytes = new BytesOfUsers(), memory: Memory = processMemory) {
    this.#limits = limits;
    this.#bytes = bytes;
    this.#memory = memory;
  }

  roomOf(user: string): GatherRoom {
    const bytes = this.#bytes;
    const memory = this.#memory;
    const { perUser, inTotal } = this.#limits;
    return {
      add: (count) => bytes.add(user, count),
      get isFull() {
        const own = bytes.of(user);
        const share = limitBetween(1, SHARE_WHILE_SCARCE, memory);
        return own > share * perUser || (own > share * MODEST && bytes.total > share * inTotal);
      },
    };
  }
}

/** Of all uploads of this process. */
export const gatheredBytes = new GatheredBytes();
