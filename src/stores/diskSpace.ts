/** Room for bytes that callers send. Checked before a disk is full, so that commands and the log go on when uploads cannot. */
export interface DiskSpace {
  /** Why no more bytes are taken now, as a sentence for operators; `null` when there is room for `bytes` more. */
  shortage(bytes?: number): string | null;
}
