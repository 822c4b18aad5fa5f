import { streamResource } from '../../../domain/stream.ts';
import type { ReadModels } from '../../../projections/readModels.ts';
import type { StreamDocument } from '../../../projections/streams.ts';
import type { LiveReaders } from '../../../stores/liveReaders.ts';
import { liveSinks } from '../../export/sinks.ts';
import { type FollowDeps, followSink, type SinkFrame } from '../../live/follow.ts';
import { merged } from '../../live/merged.ts';

export interface ResponseDeps extends FollowDeps {
  readonly readModels: ReadModels;
  readonly liveReaders: LiveReaders;
}

/** Every sink, whatever its tags. */
const EVERY_SINK = { all: true, tags: [] };

/**
 * The frames of all sinks of a stream, from the first on, as they come; ends when there will be no more. Taken at the pace of the caller: what is
 * not taken waits in the topics, which retention keeps meanwhile.
 */
export async function* responsesOf(deps: ResponseDeps, streamId: string, signal: AbortSignal): AsyncGenerator<SinkFrame> {
  const document = await deps.readModels.getFresh<StreamDocument>('streams', streamId, `stream-${streamId}`);
  if (!document) return;
  const leave = await deps.liveReaders.enter(streamId);
  try {
    yield* merged(liveSinks(document, EVERY_SINK).map((sink) => followSink(deps, sink, -1, signal)));
  } finally {
    await leave();
  }
}

/** Why a stream that has failed did, `null` for one that has not. */
export const failureOf = async ({ readModels }: ResponseDeps, streamId: string): Promise<string | null> => {
  const document = await readModels.getFresh<StreamDocument>('streams', streamId, `stream-${streamId}`);
  return document?.state === 'FAILED' ? (streamResource(document).stateDescription ?? 'The stream failed.') : null;
};
