import { countReached, notFound, Problem } from '../problem.ts';
import type { SharesEvent } from './events.ts';
import type { Share, SharesState } from './state.ts';

/** Most links of a stream. */
const MOST_SHARES = 100;

export interface ShareDraft {
  readonly id: string;
  readonly tokenHash: string;
  /** Milliseconds since the epoch; `null`: never. */
  readonly expires: number | null;
  readonly media: boolean;
}

/** Throws 400 for a time that has passed, and 429 above the limit of a stream's links. */
export const shareStream = (state: SharesState, { expires, ...share }: ShareDraft, now: number): readonly SharesEvent[] => {
  if (expires !== null && expires <= now)
    throw new Problem('GENERAL_VALIDATION_ERROR', '`expires` has passed. Give a later time, or null.');
  if (state.length >= MOST_SHARES) throw countReached(`The stream has ${MOST_SHARES} links. Revoke one first.`);
  return [{ type: 'StreamShared', data: { ...share, expires: expires === null ? null : new Date(expires).toISOString() } }];
};

/** Throws 404 for an unknown or revoked link. */
export const revokeShare = (state: SharesState, id: string): readonly SharesEvent[] => {
  if (!state.some((share) => share.id === id)) throw notFound('share');
  return [{ type: 'ShareRevoked', data: { id } }];
};

/** Nothing for a link that was revoked meanwhile. */
export const countViews = (state: SharesState, id: string, views: number): readonly SharesEvent[] =>
  state.some((share) => share.id === id) ? [{ type: 'ShareViewed', data: { id, views } }] : [];

/** The link of a token that can be opened now; `undefined` for an unknown, revoked or expired one. */
export const openShare = (state: SharesState, tokenHash: string, now: number): Share | undefined =>
  state.find((share) => share.tokenHash === tokenHash && (share.expires === null || Date.parse(share.expires) > now));
