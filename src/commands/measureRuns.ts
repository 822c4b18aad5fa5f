import type { Clock } from '../clock.ts';
import { newestRuns, type StreamRun } from '../domain/stream/attempts.ts';
import { NOTHING_USED, type UsedByRuns } from '../domain/stream/decisions.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import type { Topics } from '../stores/topics.ts';
import type { CommandDeps } from './handle.ts';
import { loadStream } from './loadStream.ts';

export interface MeasureDeps extends CommandDeps {
  readonly topics: Pick<Topics, 'size'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * What the runs of a stream have used so far, from the time and the sizes of their topics, for runs about to be aborted. Call it before their bytes
 * are deleted. An unreadable size counts as 0, so that it does not prevent the cancellation.
 */
export const measureRuns = async (deps: MeasureDeps, streamId: string): Promise<UsedByRuns> => {
  const loaded = await loadStream(deps.log, streamId);
  const running = loaded ? newestRuns(loaded).filter(({ state }) => state === 'RUNNING') : [];
  return new Map(await Promise.all(running.map(async (run) => [run.processorId, await measured(deps, run)] as const)));
};

const measured = async ({ topics, clock }: MeasureDeps, { processor, startedTimestamp }: StreamRun) => {
  const sizeOf = async (topic: string): Promise<number> => (await topics.size(topicId(topic)).catch(() => null))?.bytes ?? 0;
  const [ingressSize, egressSize] = await Promise.all([sizeOf(processor.source.topic), sizeOf(processor.destination.topic)]);
  const executionTime = Math.max(0, clock.now() - Date.parse(startedTimestamp ?? ''));
  return { ...NOTHING_USED, executionTime, ingressSize, egressSize };
};
