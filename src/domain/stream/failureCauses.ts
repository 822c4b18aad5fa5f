/** Why an upload or a run failed, where its error name says too little to give advice. Stored in events: never change the meaning of one. */
export const FAILURE_CAUSES = ['LINK_FAILED', 'TOO_LARGE', 'TOO_LONG', 'NOT_TEXT', 'ENGINE_AWAY', 'SERVER_INCOMPLETE'] as const;

export type FailureCause = (typeof FAILURE_CAUSES)[number];
