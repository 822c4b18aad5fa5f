import type { FindOptions } from '../../stores/documents.ts';

export type Where = NonNullable<FindOptions['where']>;

/** Documents whose `member` lies between two times, ISO 8601 in UTC, both inclusive. `null`: no end. */
export const timeRange = (member: string, from: string | null, to: string | null): Where => {
  if (from !== null) return { [member]: to === null ? { from } : { from, to } };
  return to === null ? {} : { [member]: { to } };
};
