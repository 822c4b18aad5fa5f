import { consumerCheckpoint } from '../../stores/consumers/runConsumer.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import { heldFor, OPEN_STREAMS, type RunningStreams } from './openStreams.ts';

export interface LeftRunningDeps {
  readonly documents: Pick<Documents, 'readCheckpoint'>;
  readonly runningStreams: Pick<RunningStreams, 'running'>;
}

/**
 * The streams that may run at a start: those with a place, and those that the log names after a position (`null`: its start). Rejects with
 * `StoreUnavailable`.
 */
export const leftRunning = async ({
  documents,
  runningStreams,
}: LeftRunningDeps): Promise<{ streamIds: ReadonlySet<string>; after: Position | null }> => {
  // The position first: later events are read again.
  const after = (await documents.readCheckpoint(consumerCheckpoint(OPEN_STREAMS.name)))?.position ?? null;
  const running = await runningStreams.running();
  return { after, streamIds: new Set(running.map(({ holder }) => heldFor(holder).streamId)) };
};
