import * as s from '../../schema.ts';
import { type EventOf, event, guardOf } from '../eventForms.ts';

/** The links by which one stream is shared (`shares-<streamId>`). */
export const SHARES_EVENTS = {
  /** `tokenHash`: SHA-256 of the token in the link, in hexadecimal. `expires`: ISO 8601; `null`: never. */
  StreamShared: event(s.object({ id: s.id, tokenHash: s.text, expires: s.nullable(s.text), media: s.flag })),
  ShareRevoked: event(s.object({ id: s.id })),
  /** Loads of the page since the last event. */
  ShareViewed: event(s.object({ id: s.id, views: s.count })),
};

export type SharesEvent = EventOf<typeof SHARES_EVENTS>;
export const isSharesEvent = guardOf(SHARES_EVENTS);

export const sharesEventStream = (streamId: string): string => `shares-${streamId}`;
