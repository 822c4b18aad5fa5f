/** A job of a thread. Schemas and values travel as JSON text, which is copied fast between threads. */
export interface SchemaJob {
  readonly number: number;
  readonly hash: string;
  readonly schema: string;
  /** JSON text; `null` only compiles the schema. */
  readonly value: string | null;
}

/** Sent by a thread when it begins a job. */
export interface JobBegun {
  readonly begun: number;
}

export interface Finding {
  /** JSON Pointer into the value. */
  readonly path: string;
  readonly message: string;
}

export type SchemaOutcome =
  | { readonly is: 'usable' }
  | { readonly is: 'fits' }
  | { readonly is: 'misfit'; readonly findings: readonly Finding[] }
  | { readonly is: 'unusable'; readonly reason: string };
