/** In bytes. */
export interface DiskRoom {
  readonly free: number;
  readonly total: number;
  /** Uploads are refused below this free space; 0 never refuses. */
  readonly reserved: number;
  /** Free space above `reserved` in which each user has a share. */
  readonly shared: number;
}

/**
 * Room for callers' bytes. Uploads stop before the disk is full, so that commands and the log can continue. Shortly before, the disk is short: each user
 * has a share of what is left, so that one of them cannot use all of it.
 */
export interface DiskSpace {
  /** Why no more bytes of anyone are accepted, as a sentence for operators; `null` if `bytes` more fit. */
  shortage(bytes?: number): string | null;
  /** Whether users have shares now. */
  readonly isShort: boolean;
  /** Whether `bytes` more would exceed the user's share. Results of accepted work have a larger one. */
  exceedsShare(subject: string, bytes?: number, use?: 'result'): boolean;
  /** Counts bytes that are stored for a user. Those of a topic count until it is deleted. */
  count(subject: string, bytes: number, topic?: string): void;
  /** The topic has been deleted or emptied, or was not stored after all. */
  freed(topic: string): void;
}

/** A disk that operators can look at. */
export interface MeasuredDisk extends DiskSpace {
  /** `null` if the bytes are stored elsewhere or the disk cannot be read. */
  room(): DiskRoom | null;
  /** Why bytes of some users or of all may be refused now, as a sentence for operators. */
  warning(): string | null;
}

/** For bytes that go to MongoDB, whose operator watches its disk. */
export const DISK_ELSEWHERE: MeasuredDisk = {
  shortage: () => null,
  isShort: false,
  exceedsShare: () => false,
  count: () => {},
  freed: () => {},
  room: () => null,
  warning: () => null,
};
