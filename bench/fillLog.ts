import { randomUUID } from 'node:crypto';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { type GroupEvent, groupEventStream } from '../src/domain/group/events.ts';
import { type StreamEvent, streamEventStream } from '../src/domain/stream/events.ts';
import { resolveConfiguration } from '../src/domain/stream/resolveConfiguration.ts';
import type { ChainLink, Quantities } from '../src/domain/stream/streamConfiguration.ts';
import { BUILTIN_TEMPLATES } from '../src/domain/templates/builtinTemplates.ts';
import { SHIPPED_PRICE_LIST } from '../src/domain/usage/priceList.ts';
import { billFor } from '../src/domain/usage/pricing.ts';
import { silentLogger } from '../src/logger.ts';
import { openPlatform } from '../src/platform.ts';

const OWNERS = 50;
const NEW = { revision: 'no stream', hash: null } as const;
const TOGETHER = 256;
const BYTES = 65_536;

const QUANTITIES: Quantities = {
  executionTime: 12,
  storageSize: 0,
  ingressSize: BYTES,
  egressSize: BYTES,
  processedAudioLength: null,
  processedTokens: null,
  processedInputTokens: null,
  processedOutputTokens: null,
};

const characters = (count: number): string => randomUUID().replaceAll('-', '').slice(0, count);

const runEvents = ({ processorId, operationType }: ChainLink): StreamEvent[] => [
  { type: 'ProcessorStarted', data: { processorId, attempt: 1 } },
  {
    type: 'ProcessorCompleted',
    data: {
      processorId,
      attempt: 1,
      description: null,
      quantities: QUANTITIES,
      bill: billFor(SHIPPED_PRICE_LIST, operationType, QUANTITIES),
    },
  },
];

/** All events of one stream, as after an upload through the template: 4, and 2 for each further processor. */
export const lifeOf = (
  streamId: string,
  owner: string,
  { templateId, persist }: { templateId: string | undefined; persist: boolean },
): StreamEvent[] => {
  const template = BUILTIN_TEMPLATES.find(({ id }) => id === templateId);
  if (!template) throw new Error('no template');
  const groupId = streamId;
  const { configuration, chain } = resolveConfiguration({
    template,
    maxBytes: Number.POSITIVE_INFINITY,
    streamId,
    groupId,
    persist: { persist, tags: [], match: 'ANY' },
    webhooks: [],
    modeOf: () => 'batch',
    deployment: 'tributary',
    replica: '0',
    random: { uuid: randomUUID, characters },
  });
  const identity = { streamId, name: `Stream ${characters(6)}`, groupId, creatorId: owner, groupCreatorId: owner };
  const created: StreamEvent = {
    type: 'StreamCreated',
    data: { ...identity, templateVersion: template.version, persist, configuration, chain, idempotency: null },
  };
  const uploaded: StreamEvent = { type: 'UploadCompleted', data: { bytes: BYTES, frames: 1, sha256: '0'.repeat(64) } };
  return [created, uploaded, ...chain.flatMap(runEvents), { type: 'StreamCompleted', data: {} }];
};

/** The group of a stream whose id the caller chose. */
const groupOf = (streamId: string, owner: string): GroupEvent[] => [
  { type: 'GroupCreated', data: { groupId: streamId, creatorId: owner } },
  { type: 'StreamJoined', data: { groupId: streamId, streamId, streamSubject: owner, webhooks: [] } },
  { type: 'StreamFinished', data: { streamId, outcome: 'COMPLETED' } },
  { type: 'GroupCompleted', data: {} },
];

export interface Filled {
  readonly streamIds: readonly string[];
  readonly events: number;
}

/** Fills the log of an empty data directory with the events of `count` streams, through the log port and codec. */
export const fillLog = async (dataDir: string, streams: number): Promise<Filled> => {
  const platform = await openPlatform(readConfig({ DATA_DIR: dataDir }), { clock: systemClock, logger: silentLogger });
  const owners = Array.from({ length: OWNERS }, () => randomUUID());
  const streamIds: string[] = [];
  let events = 0;
  const fill = async (n: number): Promise<void> => {
    const streamId = randomUUID();
    const owner = owners[n % OWNERS] ?? '';
    const life = lifeOf(streamId, owner, { templateId: BUILTIN_TEMPLATES[n % 2]?.id, persist: false });
    const context = { subject: owner, actor: 'bench', correlationId: streamId, causationId: streamId };
    const group = groupOf(streamId, owner);
    await platform.log.append(groupEventStream(streamId), NEW, group, context);
    await platform.log.append(streamEventStream(streamId), NEW, life, context);
    streamIds.push(streamId);
    events += group.length + life.length;
  };
  for (let n = 0; n < streams; n += TOGETHER) {
    await Promise.all(Array.from({ length: Math.min(TOGETHER, streams - n) }, (_, i) => fill(n + i)));
  }
  await platform.close();
  return { streamIds, events };
};
