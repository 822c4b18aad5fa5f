/** Work waiting on this node. Zeros without the role for it. */
export interface NodeQueues {
  readonly runs: readonly { readonly lane: string; readonly running: number; readonly waiting: number }[];
  readonly deliveries: { readonly due: number; readonly scheduled: number; readonly inFlight: number };
}
