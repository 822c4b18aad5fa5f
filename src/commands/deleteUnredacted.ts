import { unredactedTopics } from '../domain/stream/redaction.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import type { RecordedEvent } from '../stores/log/eventLog.ts';
import type { Topics } from '../stores/topics.ts';
import type { CommandDeps } from './handle.ts';
import { loadStreamWith } from './loadStream.ts';

export interface DeleteUnredactedDeps extends CommandDeps {
  readonly topics: Topics;
}

/**
 * Deletes what came before the redaction of a stream that has ended with this event, also from the files of the log. Does nothing for a stream that runs
 * again: its next end does it. Repeatable.
 */
export const deleteUnredacted = async (
  { log, topics }: DeleteUnredactedDeps,
  event: Pick<RecordedEvent, 'eventStream' | 'revision'>,
): Promise<void> => {
  const loaded = await loadStreamWith(log, event);
  if (!loaded || loaded.stream.state === 'READY') return;
  const names = unredactedTopics(loaded);
  if (names.length === 0) return;
  await Promise.all(names.map((name) => topics.delete(topicId(name))));
  await topics.purge?.();
};
