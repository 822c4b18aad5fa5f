import { unredactedTopics } from '../domain/stream/redaction.ts';
import type { StreamAggregate } from '../domain/stream/state.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import type { Topics } from '../stores/topics.ts';

/**
 * Deletes what came before the redaction of an ended stream, also from the files of the log. Does nothing for a stream that runs again: its next end
 * does it. Repeatable. Rejects with `StoreUnavailable`.
 */
export const deleteUnredacted = async (topics: Topics, ended: StreamAggregate): Promise<void> => {
  if (ended.stream.state === 'READY') return;
  const names = unredactedTopics(ended);
  if (names.length === 0) return;
  await Promise.all(names.map((name) => topics.delete(topicId(name))));
  await topics.purge();
};
