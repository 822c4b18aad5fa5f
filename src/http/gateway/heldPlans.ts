import { limitBetween, type Memory, processMemory } from '../../supervision/scarceMemory.ts';
import { BytesInAll, BytesOfUsers } from '../bytesOfUsers.ts';
import { noRoom, noRoomText, tooMuchHeld } from '../noRoom.ts';

/** Memory of configurations that open uploads hold. Not part of the common limits: they are held for as long as an upload takes. */
const heldPlans = new BytesOfUsers(new BytesInAll());

const MEBIBYTE = 1_048_576;
/** While memory is ample, and while it is scarce. */
const [PER_USER, PER_USER_WHILE_SCARCE] = [32 * MEBIBYTE, 8 * MEBIBYTE];
const [IN_TOTAL, IN_TOTAL_WHILE_SCARCE] = [96 * MEBIBYTE, 24 * MEBIBYTE];
/** Weight of the largest configurations: values weigh somewhat more than they take. */
const LARGEST = 2 * MEBIBYTE;
/** Smaller configurations are not counted: those of a thousand uploads take 16 MB. */
const SMALL = 16_384;
const nothing = (): void => {};

/**
 * Counts the configuration of an open upload until the returned function is called: with patches, each upload of a user may have one of 1 MiB. Throws 429 if
 * the user holds too much, and 503 with `Retry-After` if all users together do.
 */
export const holdPlan = (user: string, bytes: number, held: BytesOfUsers = heldPlans, memory: Memory = processMemory): (() => void) => {
  if (bytes <= SMALL) return nothing;
  const own = held.of(user) + bytes;
  if (own > limitBetween(PER_USER, PER_USER_WHILE_SCARCE, memory)) throw tooMuchHeld(noRoomText('user'));
  // Up to the size of one, a user is not refused because of others.
  if (own > LARGEST && held.total + bytes > limitBetween(IN_TOTAL, IN_TOTAL_WHILE_SCARCE, memory)) throw noRoom('all');
  return held.hold(user, bytes);
};
