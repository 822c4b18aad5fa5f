export interface StreamRetention {
  /** `null` while the stream runs, unless its owner asked for a time, and once the data are deleted. */
  readonly until: string | null;
  readonly latest: string | null;
}

const MINUTE = 60_000;

/** Whether the data can be kept beyond `until`. The owner enters whole minutes. */
export const canKeepLonger = ({ until, latest }: StreamRetention): boolean => {
  if (latest === null) return false;
  return until === null || Math.floor(Date.parse(latest) / MINUTE) * MINUTE > Date.parse(until);
};
