import { type Problem, unavailable } from '../domain/problem.ts';

/** Who holds too much memory: one user, or all users together. */
export type HeldBy = 'user' | 'all';

/** Every kind shares one memory, so the refused request need not be of the kind that fills it. */
export const noRoomText = (heldBy: HeldBy): string =>
  heldBy === 'user'
    ? 'Your requests, answers, exports, live reads and audio hold too much memory. Read or close some of them, then try again.'
    : 'The requests, answers, exports, live reads and audio of all users hold too much memory. Try again.';

/** 503 with `Retry-After`. */
export const noRoom = (heldBy: HeldBy): Problem => unavailable(noRoomText(heldBy));
