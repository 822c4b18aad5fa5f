import type { StreamConfiguration, StreamState } from './streamConfiguration.ts';

/**
 * A stream as the API shows it. The API calls it `MediaStream`, and so do generated clients. `docs/adding-an-event.md` shows how to add a member. Webhooks
 * do not show new members: see `WEBHOOK_STREAM_MEMBERS`.
 */
export interface Stream {
  streamId: string;
  name: string | null;
  /** In the order given, each in the spelling that its owner first used. */
  labels: string[];
  groupId: string;
  configuration: StreamConfiguration;
  createdTimestamp: string;
  creatorId: string;
  groupCreatorId: string;
  state: StreamState;
  stateDescription: string | null;
  finalizedTimestamp: string | null;
  /** 1 is the upload; each rerun counts up. */
  attempt: number;
}

/**
 * The members that webhook bodies of the newest version show. To add one, add a version of bodies in `delivery/send/rendering.ts`, and leave the member out
 * of earlier ones there: a retry or resend must send the bytes of the first attempt.
 */
export const WEBHOOK_STREAM_MEMBERS = [
  'streamId',
  'name',
  'groupId',
  'configuration',
  'createdTimestamp',
  'creatorId',
  'groupCreatorId',
  'state',
  'stateDescription',
  'finalizedTimestamp',
  'attempt',
  'labels',
] as const satisfies readonly (keyof Stream)[];

export type WebhookStream = Pick<Stream, (typeof WEBHOOK_STREAM_MEMBERS)[number]>;
