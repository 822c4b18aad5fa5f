import { isStreamEvent } from '../domain/stream/events.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import type { Position } from '../stores/eventStore.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { logPages, upTo } from '../stores/pages.ts';

const PAGE = 500;

/** Ids of the topics that events up to and including `through` refer to: those of all unexpired streams, each once. */
export const liveTopics = async (log: EventLog, through: Position | null): Promise<Set<string>> => {
  const byStream = new Map<string, readonly string[]>();
  const where = { category: 'stream', types: ['StreamCreated', 'RerunStarted', 'StreamExpired'] };
  for await (const page of upTo(through, logPages(log, { after: null, limit: PAGE, where }))) {
    for (const event of page) {
      if (!isStreamEvent(event)) continue;
      if (event.type === 'StreamCreated') byStream.set(event.eventStream, topicsOf(event.data.configuration));
      if (event.type === 'RerunStarted') {
        const added = event.data.processors.map(({ destinationTopic }) => topicId(destinationTopic));
        byStream.set(event.eventStream, [...(byStream.get(event.eventStream) ?? []), ...added]);
      }
      if (event.type === 'StreamExpired') byStream.delete(event.eventStream);
    }
  }
  return new Set([...byStream.values()].flat());
};

const topicsOf = ({
  dataSource,
  processors,
}: {
  dataSource: { topic: string };
  processors: readonly { destination: { topic: string } }[];
}): string[] => [dataSource.topic, ...processors.map(({ destination }) => destination.topic)].map(topicId);
