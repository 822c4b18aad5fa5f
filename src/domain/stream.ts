import type { Bill, ChainLink, Quantities, StreamConfiguration } from './streamConfiguration.ts';

/** The story of one stream: an upload and its processing. Event stream `stream-<streamId>`. */
export type StreamEvent =
  /** Gives `stream.ready` and `gateway.connected`. */
  | {
      type: 'StreamCreated';
      data: {
        streamId: string;
        name: string;
        groupId: string;
        creatorId: string;
        groupCreatorId: string;
        templateVersion: number;
        persist: boolean;
        configuration: StreamConfiguration;
        chain: ChainLink[];
        /** `null` without an `Idempotency-Key`. `fingerprint` is the hex SHA-256 of the parameters; `attempt` is n of the key's try. */
        idempotency: { fingerprint: string; attempt: number } | null;
      };
    }
  /** All bytes are there and synced. Gives `gateway.disconnected` and `gateway.closed`. */
  | { type: 'UploadCompleted'; data: { bytes: number; frames: number; sha256: string } }
  /** The client broke off, or the upload could not be taken to its end. Gives `gateway.error`; `StreamFailed` follows in the same append. */
  | { type: 'UploadFailed'; data: { reason: string } }
  /** Gives `processor.running`. */
  | { type: 'ProcessorStarted'; data: { processorId: string; attempt: number } }
  /** Gives `processor.completed`. `description` such as "Stream has no prompt enabled". */
  | {
      type: 'ProcessorCompleted';
      data: { processorId: string; attempt: number; description: string | null; quantities: Quantities; bill: Bill };
    }
  /** Gives `processor.error`. */
  | {
      type: 'ProcessorFailed';
      data: { processorId: string; attempt: number; reason: string; errorName: string; quantities: Quantities; bill: Bill };
    }
  /** Gives `stream.failed`, and `gateway.closed` when the upload was still going on. */
  | { type: 'StreamCanceled'; data: { reason: string } }
  | { type: 'StreamCompleted'; data: Record<string, never> }
  | { type: 'StreamFailed'; data: { reason: string | null } }
  /** Gives `stream.expired`. The bytes are deleted. */
  | { type: 'StreamExpired'; data: { reason: string } };

export const streamEventStream = (streamId: string): string => `stream-${streamId}`;
