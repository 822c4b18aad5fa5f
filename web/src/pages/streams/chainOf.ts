import type { Stream, StreamComponents } from '../../api/types.ts';
import type { ChainNode } from '../../parts/chainLayout.ts';

const TONES: Readonly<Record<string, ChainNode['tone']>> = { RUNNING: 'busy', COMPLETED: 'good', ERROR: 'bad' };

const GATEWAY_WORDS = { CONNECTED: 'uploading', DISCONNECTED: 'disconnected', CLOSED: 'uploaded' } as const;

/** The boxes, each behind the one that it follows. */
export const chainOf = ({ configuration: { dataSource, processors } }: Stream, components: StreamComponents): readonly ChainNode[] => {
  const writers = new Map(processors.map(({ id, destination }) => [destination.topic, id]));
  const states = new Map(components.processors.map(({ processorId, state }) => [processorId, state]));
  const source: ChainNode = {
    kind: 'source',
    id: 'source',
    after: null,
    title: 'Data source',
    line: `${dataSource.messageSchema}, ${GATEWAY_WORDS[components.gateway.state]}`,
    more: dataSource.topic,
    tone: components.gateway.state === 'CONNECTED' ? 'busy' : 'quiet',
  };
  const others = processors.flatMap(({ id, source: { topic }, destination, egress }): ChainNode[] => {
    const state = states.get(id) ?? 'WAITING';
    const own: ChainNode = {
      kind: 'processor',
      id,
      after: writers.get(topic) ?? null,
      title: id,
      line: state.toLowerCase(),
      more: `${id}: output ${destination.messageSchema}`,
      tone: TONES[state] ?? 'quiet',
    };
    if (!egress.sink) return [own];
    const kept = egress.persist ? 'kept for export' : 'not kept';
    const more = `Result of ${id}, ${kept}, tags ${egress.tags.join(', ')}: ${destination.topic}`;
    return [own, { kind: 'sink', id, after: id, title: id, line: `result, ${kept}`, more, tone: 'quiet' }];
  });
  return [source, ...others];
};
