import { limitReached, type Problem, unavailable } from '../domain/problem.ts';

/** Holder of too much memory: one user, or all users together. */
export type HeldBy = 'user' | 'all';

/** Names all kinds, because they share one memory: another kind than the refused one may fill it. */
export const noRoomText = (heldBy: HeldBy): string =>
  heldBy === 'user'
    ? 'Your requests, answers, exports, live reads and audio hold too much memory. Read or close some of them, then try again.'
    : 'The requests, answers, exports, live reads and audio of all users hold too much memory. Try again.';

/** 503 with `Retry-After`. */
export const noRoom = (heldBy: HeldBy): Problem => unavailable(noRoomText(heldBy));

/** 429: only this user can make room. */
export const tooMuchHeld = (message: string): Problem => limitReached(message, 1, { title: 'Too much memory held' });
