import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import type { Bill, ChainLink, Quantities, StreamProcessor } from '../../../src/domain/stream/streamConfiguration.ts';
import { streamsProjection } from '../../../src/projections/streams.ts';
import { usageProjection } from '../../../src/projections/usage.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import type { MemoryReadModels } from '../../fakes/memoryReadModels.ts';

/** A processor of the stream. By default a persistent sink with its id and `main` as tags, which reads the output of the one before it. */
export interface OutlinedProcessor {
  id: string;
  schema: string;
  operationType?: ChainLink['operationType'];
  tags?: string[];
  persist?: boolean;
}

export interface StreamOutline {
  streamId: string;
  creatorId: string;
  groupId: string;
  processors: OutlinedProcessor[];
  name?: string;
  fileName?: string;
}

export const QUANTITIES: Quantities = {
  executionTime: 1200,
  storageSize: 10,
  ingressSize: 20,
  egressSize: 10,
  processedAudioLength: 60_000,
  processedTokens: null,
  processedInputTokens: null,
  processedOutputTokens: null,
};

export const BILL: Bill = { priceList: 'told-1', credits: '0.5', lines: [] };

/** Folds events of one stream with the real projections and puts the documents into the read models. */
export class ProjectedStream {
  readonly #readModels: MemoryReadModels;
  readonly #outline: StreamOutline;
  readonly #created: number;
  #revision = 0;
  #streams: ReturnType<typeof streamsProjection.evolve> = null;
  #usage: ReturnType<typeof usageProjection.evolve> = null;

  constructor(readModels: MemoryReadModels, outline: StreamOutline, created = Date.parse('2026-01-01T00:00:00Z')) {
    this.#readModels = readModels;
    this.#outline = outline;
    this.#created = created;
    this.tell({ type: 'StreamCreated', data: creation(outline) });
  }

  tell(...events: StreamEvent[]): this {
    const { streamId } = this.#outline;
    for (const event of events) {
      const recorded = this.#recorded(event);
      this.#streams = streamsProjection.evolve(this.#streams, recorded, streamId);
      if (usageProjection.handles.includes(event.type)) this.#usage = usageProjection.evolve(this.#usage, recorded, streamId);
    }
    if (this.#streams) this.#readModels.put('streams', streamId, this.#streams);
    if (this.#usage) this.#readModels.put('usage', streamId, this.#usage);
    return this;
  }

  start(processorId: string): this {
    return this.tell({ type: 'ProcessorStarted', data: { processorId, attempt: 1 } });
  }

  complete(processorId: string): this {
    const data = { processorId, attempt: 1, description: null, quantities: QUANTITIES, bill: BILL };
    return this.start(processorId).tell({ type: 'ProcessorCompleted', data });
  }

  /** Completes all processors, then the stream. */
  completeAll(): this {
    this.tell({ type: 'UploadCompleted', data: { bytes: 1, frames: 1, sha256: '' } });
    for (const { id } of this.#outline.processors) this.complete(id);
    return this.tell({ type: 'StreamCompleted', data: {} });
  }

  #recorded(event: StreamEvent): RecordedEvent {
    const revision = this.#revision++;
    return {
      id: `event-${revision}`,
      eventStream: `stream-${this.#outline.streamId}`,
      revision: BigInt(revision),
      position: String(revision).padStart(20, '0') as Position,
      type: event.type,
      data: event.data,
      metadata: {
        time: new Date(this.#created + revision * 1000).toISOString(),
        subject: this.#outline.creatorId,
        actor: 'test',
        $correlationId: 'test',
        $causationId: 'test',
        schemaVersion: 1,
        previousHash: null,
        hash: '',
      },
    };
  }
}

/** The topic id of a processor's destination. */
export const topicOf = (streamId: string, processorId: string): string => `${streamId}-${processorId}`;

const creation = ({
  streamId,
  creatorId,
  groupId,
  processors,
  name = 'told',
  fileName,
}: StreamOutline): Extract<StreamEvent, { type: 'StreamCreated' }>['data'] => ({
  streamId,
  name,
  ...(fileName !== undefined && { fileName }),
  groupId,
  creatorId,
  groupCreatorId: creatorId,
  templateVersion: 1,
  persist: true,
  configuration: {
    streamConfigurationTemplateId: 'template',
    dataSource: dataSource(topicName(streamId, 'source'), 'bytes'),
    dataSinks: {},
    processors: processors.map((processor, n) => streamProcessor(streamId, processor, processors[n - 1])),
    dynamicWebhookEndpoints: [],
  },
  chain: processors.map((processor, n) => ({
    processorId: processor.id,
    declarationId: processor.id,
    operationType: processor.operationType ?? 'NO_OPERATION',
    previousProcessorId: processors[n - 1]?.id ?? null,
    inputSchema: processors[n - 1]?.schema ?? 'bytes',
    outputSchema: processor.schema,
    mode: 'batch',
  })),
  idempotency: null,
});

const topicName = (streamId: string, processorId: string): string => `persistent://test/sinks/${topicOf(streamId, processorId)}`;

const dataSource = (topic: string, messageSchema: string) => ({
  topic,
  messageSchema,
  connectionOptions: {},
  headers: {},
  messageHeaders: {},
  subscriptions: {},
});

const streamProcessor = (streamId: string, outline: OutlinedProcessor, before: OutlinedProcessor | undefined): StreamProcessor => ({
  id: outline.id,
  source: {
    subscription: outline.id,
    topic: topicName(streamId, before?.id ?? 'source'),
    messageSchema: before?.schema ?? 'bytes',
    connectionOptions: {},
    headers: {},
  },
  destination: { ...dataSource(topicName(streamId, outline.id), outline.schema), messageHeaders: { 'processor-id': outline.id } },
  clusterDomainName: null,
  podsDiscoveryClusterDomainName: null,
  propertiesSchema: 'none',
  properties: {},
  egress: { persist: outline.persist ?? true, sink: true, tags: outline.tags ?? [outline.id, 'main'] },
});
