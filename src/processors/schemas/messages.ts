/** What the service and its threads say to each other. Schemas and values go as JSON text: a thread boundary copies text fast. */
export interface SchemaJob {
  readonly number: number;
  readonly hash: string;
  readonly schema: string;
  /** JSON text; `null` compiles the schema only. */
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

/** Once, when the thread can take jobs. `task` is its folder below `/proc`, `null` where the system has none. */
export interface ThreadReady {
  readonly ready: true;
  readonly task: string | null;
}

export type FromThread = ThreadReady | { readonly number: number; readonly outcome: SchemaOutcome };
