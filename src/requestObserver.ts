import type { TraceContext } from './traceContext.ts';

/** The part of a request that observers see. All calls about one request get the same object. */
export interface ObservedRequest {
  readonly correlationId: string;
  /** The caller's span, if it sent one. */
  readonly parent: TraceContext | null;
  /** Name of the problem that it was answered with, if any. */
  readonly refusal: string | null;
}

/** A route, by the pattern of its path. */
export interface ObservedRoute {
  readonly path: string;
}

/** Counts or traces requests. Each function is called once and must be quick and never throw. */
export interface RequestObserver {
  began?(trace: ObservedRequest, method: string): void;
  /** The route is known, and its handler is about to run. */
  matched(route: ObservedRoute): void;
  /** The answer is complete or its connection gone: `status` is null without an answer, `route` for an unknown path. */
  ended(seen: {
    readonly method: string;
    readonly route: ObservedRoute | null;
    readonly status: number | null;
    readonly milliseconds: number;
    readonly trace: ObservedRequest;
  }): void;
}
