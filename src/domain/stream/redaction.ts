import { allProcessors } from './attempts.ts';
import type { StreamAggregate } from './state.ts';
import type { ChainLink } from './streamConfiguration.ts';

/** Id of the declaration of the processor that replaces personal data. */
export const REDACTION = 'redaction';

type Link = Pick<ChainLink, 'processorId' | 'previousProcessorId' | 'declarationId'>;

/** Ids of the processors before those that redact. */
export const beforeRedaction = (chain: readonly Link[]): ReadonlySet<string> => {
  const before = new Set<string>();
  for (const { declarationId, previousProcessorId } of chain) {
    if (declarationId !== REDACTION) continue;
    for (let id = previousProcessorId; id !== null && !before.has(id); ) {
      before.add(id);
      id = chain.find(({ processorId }) => processorId === id)?.previousProcessorId ?? null;
    }
  }
  return before;
};

const keepsMedia = ({ stream, chain }: StreamAggregate): boolean =>
  chain
    .filter(({ declarationId }) => declarationId === REDACTION)
    .every(({ processorId }) => stream.configuration.processors.find(({ id }) => id === processorId)?.properties.keepMedia === true);

/**
 * Names of the topics that do not outlive a run of a stream with redaction: the outputs of all attempts before it, and the upload unless `keepMedia`.
 * Empty without redaction.
 */
export const unredactedTopics = (aggregate: StreamAggregate): string[] => {
  const before = beforeRedaction(aggregate.chain);
  if (before.size === 0) return [];
  const outputs = allProcessors(aggregate).filter(({ id }) => before.has(id));
  return [
    ...outputs.map(({ destination }) => destination.topic),
    ...(keepsMedia(aggregate) ? [] : [aggregate.stream.configuration.dataSource.topic]),
  ];
};

/** Whether redaction has deleted the data of this topic, or is about to. */
export const isRedactedAway = (aggregate: StreamAggregate, topic: string): boolean =>
  aggregate.stream.state !== 'READY' && unredactedTopics(aggregate).includes(topic);
