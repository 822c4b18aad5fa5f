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
 * The members that webhook bodies show. Never change this list: a retry or resend must send the bytes of the first attempt. To show another member in
 * webhooks, add a list for a new version of bodies in `delivery/send/rendering.ts`.
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
] as const satisfies readonly (keyof Stream)[];

export type WebhookStream = Pick<Stream, (typeof WEBHOOK_STREAM_MEMBERS)[number]>;
