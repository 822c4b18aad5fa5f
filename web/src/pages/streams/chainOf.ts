import type { ProcessorComponent, Stream, StreamComponents } from '../../api/types.ts';
import type { ChainNode } from '../../parts/chainLayout.ts';

const TONES: Readonly<Record<string, ChainNode['tone']>> = { RUNNING: 'busy', COMPLETED: 'good', ERROR: 'bad' };

const GATEWAY_WORDS = { CONNECTED: 'uploading', DISCONNECTED: 'disconnected', CLOSED: 'uploaded' } as const;

/** Whether a sink has a result, and whether it can be exported. */
const resultLine = (stream: Stream['state'], processor: ProcessorComponent['state'], isKept: boolean): string => {
  if (processor === 'RUNNING') return 'result being made';
  if (processor !== 'COMPLETED') return stream === 'READY' && processor === 'WAITING' ? 'no result yet' : 'no result';
  if (stream === 'EXPIRED') return 'result deleted';
  return isKept ? 'result, kept for export' : 'result, not kept';
};

/** The boxes of the picture. A processor stands after the one that it reads. */
export const chainOf = (stream: Stream, components: StreamComponents): readonly ChainNode[] => {
  const { dataSource, processors } = stream.configuration;
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
    const line = resultLine(stream.state, state, egress.persist);
    const tags = egress.tags.length === 0 ? '' : `, tags ${egress.tags.join(', ')}`;
    const more = `Sink of ${id}: ${line}${tags} (${destination.topic})`;
    return [own, { kind: 'sink', id, after: id, title: id, line, more, tone: 'quiet' }];
  });
  return [source, ...others];
};
