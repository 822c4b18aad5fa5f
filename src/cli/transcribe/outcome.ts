/** The result of one source: a line of `--json`. */
export interface Outcome {
  readonly file: string;
  readonly status: 'done' | 'skipped' | 'failed';
  readonly streamId: string | null;
  /** Paths of the outputs. */
  readonly outputs: readonly string[];
  /** Why it failed. */
  readonly error: string | null;
}
