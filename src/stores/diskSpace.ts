/** In bytes. */
export interface DiskRoom {
  readonly free: number;
  readonly total: number;
  /** Uploads are refused below this free space; 0 never refuses. */
  readonly reserved: number;
}

/** Room for callers' bytes. Uploads stop before the disk is full, so that commands and the log can continue. */
export interface DiskSpace {
  /** Why no more bytes are accepted, as a sentence for operators; `null` if `bytes` more fit. */
  shortage(bytes?: number): string | null;
}

/** A disk that operators can look at. */
export interface MeasuredDisk extends DiskSpace {
  /** `null` if the bytes are stored elsewhere or the disk cannot be read. */
  room(): DiskRoom | null;
}
