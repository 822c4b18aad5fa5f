import { newTraceparent, type TraceContext } from './traceContext.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  /** `server`: a request; later spans of its correlation id on this node become its children. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly correlationId: string;
  /** Of a caller. Default: the request that the correlation id came of, when it was here; else none, in the trace that the id stands for. */
  readonly parent?: TraceContext | null;
  readonly attributes?: Attributes;
}

export interface Span {
  /** To be passed on, so that others continue from this span. */
  readonly traceparent: string;
  /** `failed`: why, in a word or two. `name`: a better one than at the start. */
  end(result?: { readonly name?: string; readonly attributes?: Attributes; readonly failed?: string | null }): void;
}

/** The port to a tracing system. */
export interface Tracing {
  /** Whether anybody records: what costs something only for spans is left out otherwise. */
  readonly on: boolean;
  begin(start: SpanStart): Span;
  /** Sends what is left, within two seconds. */
  close(): Promise<void>;
}

class UnrecordedSpan implements Span {
  readonly #correlationId: string;

  constructor(correlationId: string) {
    this.#correlationId = correlationId;
  }

  get traceparent(): string {
    return newTraceparent(this.#correlationId);
  }

  end(): void {}
}

/** Records nothing; traces are passed on all the same. */
export const noTracing: Tracing = {
  on: false,
  begin: ({ correlationId }) => new UnrecordedSpan(correlationId),
  close: async () => {},
};
