import { Traffic } from '../../../src/http/traffic.ts';
import { ManualClock } from '../../manualClock.ts';

const MEBIBYTE = 1_048_576;

/** Traffic of a busy server on a clock of its own, which slows down `user` beside `other`: the user's next piece waits for more than a second. */
export const slowedUser = async (user: string, other: string) => {
  const clock = new ManualClock();
  const load = { busy: true };
  const traffic = new Traffic(clock, load);
  for (let n = 0; n < 8; n += 1) {
    traffic.note(other);
    void traffic.wait(user, 2 * MEBIBYTE);
    await clock.advance(250);
  }
  await clock.advance(5_000);
  traffic.note(other);
  void traffic.wait(user, 6 * MEBIBYTE);
  return { clock, load, traffic };
};
