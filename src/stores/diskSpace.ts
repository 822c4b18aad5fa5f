/** In bytes. */
export interface DiskRoom {
  readonly free: number;
  readonly total: number;
  /** Uploads are refused below this free space; 0 never refuses. */
  readonly reserved: number;
}

/** Room for callers' bytes. Uploads stop before the disk is full, so that commands, accepted work and the log can continue. */
export interface DiskSpace {
  /**
   * Why no more bytes are accepted, as a sentence for operators; `null` if `bytes` more fit. Results of accepted work may use half of what is kept free.
   */
  shortage(bytes?: number, use?: 'result'): string | null;
  /** `null` if the bytes are stored elsewhere or the disk cannot be read. */
  room(): DiskRoom | null;
}

/** For bytes that go to MongoDB, whose operator watches its disk. */
export const DISK_ELSEWHERE: DiskSpace = { shortage: () => null, room: () => null };
