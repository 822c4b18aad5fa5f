/** Messages between the service and its threads. Schemas and values travel as JSON text, which is copied fast between threads. */
export interface SchemaJob {
  readonly number: number;
  readonly hash: string;
  readonly schema: string;
  /** JSON text; `null` only compiles the schema. */
  readonly value: string | null;
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

/** Sent once, when the thread is ready. `task` is its folder below `/proc`, `null` on other systems. */
export interface ThreadReady {
  readonly ready: true;
  readonly task: string | null;
}

export type FromThread = ThreadReady | { readonly number: number; readonly outcome: SchemaOutcome };
