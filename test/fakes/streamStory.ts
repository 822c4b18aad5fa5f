import type { StreamEvent } from '../../src/domain/stream/events.ts';
import type { Bill, ChainLink, Quantities } from '../../src/domain/stream/streamConfiguration.ts';

export const STREAM = '11111111-1111-4111-8111-111111111111';
export const OWNER = '22222222-2222-4222-8222-222222222222';
export const OTHER = '33333333-3333-4333-8333-333333333333';

export const QUANTITIES: Quantities = {
  executionTime: 12,
  storageSize: 3,
  ingressSize: 4,
  egressSize: 5,
  processedAudioLength: null,
  processedTokens: null,
  processedInputTokens: null,
  processedOutputTokens: null,
};
export const BILL: Bill = { priceList: '2026-1', credits: '0.5', lines: [] };

export const link = (processorId: string, previousProcessorId: string | null, mode: 'live' | 'batch' = 'batch'): ChainLink => ({
  processorId,
  declarationId: `${processorId}-declaration`,
  operationType: 'NO_OPERATION',
  previousProcessorId,
  inputSchema: 'bytes',
  outputSchema: 'bytes',
  mode,
});

const source = (topic: string) => ({
  topic: `persistent://here/data-sources/${topic}`,
  messageSchema: 'bytes',
  connectionOptions: {},
  headers: {},
  messageHeaders: {},
  subscriptions: {},
});

type Created = Extract<StreamEvent, { type: 'StreamCreated' }>;

/** `StreamCreated` as the upload writes it, with the given chain. */
export const streamCreated = (chain: ChainLink[], changes: Partial<Created['data']> = {}): Created => ({
  type: 'StreamCreated',
  data: {
    streamId: STREAM,
    name: 'Board meeting',
    groupId: STREAM,
    creatorId: OWNER,
    groupCreatorId: OWNER,
    templateVersion: 1,
    persist: false,
    configuration: {
      streamConfigurationTemplateId: '65f46430c6d8985974ff9c9d',
      dataSource: source('a'),
      dataSinks: {},
      processors: chain.map(({ processorId }) => ({
        id: processorId,
        source: { subscription: `${processorId}-abcde`, topic: 'a', messageSchema: 'bytes', connectionOptions: {}, headers: {} },
        destination: source(processorId),
        clusterDomainName: null,
        podsDiscoveryClusterDomainName: null,
        propertiesSchema: 'tech.vatis.schema.stream.processor.properties.NoPropertiesDto',
        properties: { prompt: 'What did Ms Brown decide?' },
        egress: { persist: false, sink: true, tags: ['main'] },
      })),
      dynamicWebhookEndpoints: [
        {
          id: 'hook',
          url: 'https://example.org/secret-path',
          events: ['*'],
          enabled: true,
          description: null,
          disabledReason: null,
          disabledTimestamp: null,
        },
      ],
    },
    chain,
    idempotency: null,
    ...changes,
  },
});

export const uploaded: StreamEvent = { type: 'UploadCompleted', data: { bytes: 5, frames: 1, sha256: 'ab'.repeat(32) } };
export const started = (processorId: string, attempt = 1): StreamEvent => ({ type: 'ProcessorStarted', data: { processorId, attempt } });
export const completed = (processorId: string, attempt = 1): Extract<StreamEvent, { type: 'ProcessorCompleted' }> => ({
  type: 'ProcessorCompleted',
  data: { processorId, attempt, description: null, quantities: QUANTITIES, bill: BILL },
});
export const failed = (processorId: string, attempt = 1, reason = 'no speech'): Extract<StreamEvent, { type: 'ProcessorFailed' }> => ({
  type: 'ProcessorFailed',
  data: { processorId, attempt, reason, errorName: 'PROCESSOR_GENERAL_ERROR', quantities: QUANTITIES, bill: BILL },
});
