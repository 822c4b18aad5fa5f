/** In bytes. */
export interface DiskRoom {
  readonly free: number;
  readonly total: number;
  /** Uploads are refused when less than this is free; 0: never. */
  readonly reserved: number;
}

/** Room for bytes that callers send. Checked before a disk is full, so that commands and the log go on when uploads cannot. */
export interface DiskSpace {
  /** Why no more bytes are taken now, as a sentence for operators; `null` when there is room for `bytes` more. */
  shortage(bytes?: number): string | null;
}

/** A disk that operators can look at. */
export interface MeasuredDisk extends DiskSpace {
  /** `null` when the bytes lie elsewhere or the disk cannot be asked. */
  room(): DiskRoom | null;
}
