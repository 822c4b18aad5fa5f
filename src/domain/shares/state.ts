import type { SharesEvent } from './events.ts';

/** A link to one stream. */
export interface Share {
  readonly id: string;
  readonly tokenHash: string;
  /** ISO 8601; `null`: never. */
  readonly expires: string | null;
  /** Whether the recording is shared too. */
  readonly media: boolean;
  readonly createdTimestamp: string;
  readonly views: number;
  readonly lastViewed: string | null;
}

/** The links of a stream that are not revoked, oldest first. */
export type SharesState = readonly Share[];

const evolve = (state: SharesState, event: SharesEvent, time: string): SharesState => {
  switch (event.type) {
    case 'StreamShared':
      return [...state, { ...event.data, createdTimestamp: time, views: 0, lastViewed: null }];
    case 'ShareRevoked':
      return state.filter(({ id }) => id !== event.data.id);
    case 'ShareViewed':
      return state.map((share) =>
        share.id === event.data.id ? { ...share, views: share.views + event.data.views, lastViewed: time } : share,
      );
    default:
      return event satisfies never;
  }
};

export const sharesDecider = { initialState: (): SharesState => [], evolve };
