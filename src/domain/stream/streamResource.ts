import type { StreamConfiguration, StreamState } from './streamConfiguration.ts';

/**
 * The public Stream resource. Full webhook bodies contain it, and their bytes may never change: a new member also needs a new version in
 * `delivery/send/rendering.ts`. `docs/adding-an-event.md` lists every file.
 */
export interface Stream {
  streamId: string;
  name: string | null;
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

export const streamResource = ({ stream }: { readonly stream: Stream }): Stream => stream;
