import type { DynamicWebhook } from './streamConfiguration.ts';

/** The story of one group of streams. Event stream `group-<groupId>`. */
export type GroupEvent =
  | { type: 'GroupCreated'; data: { groupId: string; creatorId: string } }
  | { type: 'StreamJoined'; data: { groupId: string; streamId: string; streamSubject: string; webhooks: DynamicWebhook[] } }
  /** Its stream never came to be. */
  | { type: 'StreamWithdrawn'; data: { streamId: string } }
  | { type: 'StreamFinished'; data: { streamId: string; outcome: 'COMPLETED' | 'FAILED' } }
  | { type: 'GroupCompleted'; data: Record<string, never> }
  | { type: 'GroupFailed'; data: Record<string, never> }
  | { type: 'StreamLeftExpired'; data: { streamId: string } }
  | { type: 'GroupExpired'; data: Record<string, never> };

export const groupEventStream = (groupId: string): string => `group-${groupId}`;
