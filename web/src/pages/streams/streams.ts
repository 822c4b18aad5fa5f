import type { Stream } from '../../api/types.ts';
import { session } from '../../shell/session.ts';

export const STREAMS = '/stream-service/api/v1/streams';

export const pathOf = (streamId: string): string => `${STREAMS}/${encodeURIComponent(streamId)}`;

/** Whether the caller owns the stream: reruns and longer retention are for its owner alone. */
export const isOwn = ({ creatorId }: Stream): boolean => session.value?.caller.subject === creatorId;
