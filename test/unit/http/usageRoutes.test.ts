import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ErrorResponse } from '../../../src/domain/problem.ts';
import { SHIPPED_PRICE_LIST } from '../../../src/domain/usage/priceList.ts';
import { type StreamUsage, usageRoutes } from '../../../src/http/usage/usageRoutes.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { ManualClock } from '../../manualClock.ts';
import { ProjectedStream, QUANTITIES, topicOf } from './projectedStream.ts';
import { bodyOf, OWNER, served } from './served.ts';

const USAGE = '/usage-service/api/v1/usage/streams';

const world = async () => {
  const clock = new ManualClock();
  const readModels = new MemoryReadModels();
  const topics = new MemoryTopics(clock);
  const call = await served(
    usageRoutes({ log: { head: async () => null }, readModels, topics, clock, priceList: SHIPPED_PRICE_LIST }),
    readModels,
    clock,
  );
  const streamId = randomUUID();
  const groupId = randomUUID();
  const story = new ProjectedStream(readModels, {
    streamId,
    groupId,
    creatorId: OWNER,
    processors: [
      { id: 'transcriber', schema: 'm', operationType: 'BATCH_TRANSCRIPTION' },
      { id: 'llm', schema: 'm', operationType: 'LLM_PROCESSING' },
    ],
  });
  const usage = (query = '') => bodyOf<StreamUsage>(call(`${USAGE}/${streamId}${query}`));
  return { clock, topics, call, streamId, groupId, story, usage };
};

describe('the usage of a stream', () => {
  test("has the credits recorded with its processors' outcomes", async () => {
    const { streamId, groupId, story, usage } = await world();
    story.completeAll();
    const answer = await usage();
    const ids = { creatorId: OWNER, groupId, streamId, streamConfigurationTemplateId: 'template' };
    expect(answer).toMatchObject({ ...ids, currency: null });
    expect(answer.processors).toHaveLength(2);
    expect(answer.processors[0]).toEqual({
      ...ids,
      processorId: 'transcriber',
      operationType: 'BATCH_TRANSCRIPTION',
      attempt: 1,
      timestamp: Date.parse('2026-01-01T00:00:03.000Z'),
      credits: '0.5',
      ...QUANTITIES,
      finalUsage: true,
      errorOccurred: false,
    });
  });

  test('converts the amounts into a currency', async () => {
    const { story, usage } = await world();
    story.completeAll();
    const usd = await usage('?currency=USD');
    expect(usd.currency).toBe('USD');
    expect(usd.processors.map(({ credits }) => credits)).toEqual(['0.005', '0.005']);
    expect((await usage('?currency=EUR')).processors[0]?.credits).toBe('0.0046');
  });

  test.each(['XXX', 'usd', '', '__proto__'])('refuses the currency %j', async (currency) => {
    const { call, streamId } = await world();
    const response = await call(`${USAGE}/${streamId}?currency=${currency}`);
    expect(response.status).toBe(400);
    expect((await bodyOf<ErrorResponse>(response)).internalErrorName).toBe('CURRENCY_ERROR');
  });

  test('has what a running processor has used up to the moment of reading', async () => {
    const { clock, topics, streamId, story, usage } = await world();
    story.complete('transcriber').start('llm');
    for (const [processorId, bytes] of [
      ['transcriber', 2_097_152],
      ['llm', 30],
    ] as const) {
      await topics.create(topicOf(streamId, processorId));
      await topics.append(topicOf(streamId, processorId), [new Uint8Array(bytes)]);
    }
    await clock.advance(10_000);
    const [, llm] = (await usage()).processors;
    expect(llm).toMatchObject({
      timestamp: clock.now(),
      // It started 3 s into the story.
      executionTime: 7_000,
      ingressSize: 2_097_152,
      egressSize: 30,
      storageSize: 30,
      processedAudioLength: null,
      credits: '1',
      finalUsage: false,
      errorOccurred: false,
    });
    await clock.advance(1_000);
    expect((await usage()).processors[1]?.executionTime).toBe(8_000);
  });

  test('is zero for a processor that waits or was closed before it ran', async () => {
    const { story, usage } = await world();
    const nothing = {
      credits: '0',
      executionTime: 0,
      ingressSize: 0,
      egressSize: 0,
      storageSize: 0,
      processedTokens: null,
      errorOccurred: false,
    };
    expect((await usage()).processors[1]).toMatchObject({ ...nothing, finalUsage: false });
    story.tell({ type: 'StreamFailed', data: { reason: null } });
    expect((await usage()).processors[1]).toMatchObject({ ...nothing, finalUsage: true });
  });

  test('marks a processor that failed', async () => {
    const { story, usage } = await world();
    const bill = { priceList: 'x', credits: '0', lines: [] };
    const failure = {
      processorId: 'transcriber',
      attempt: 1,
      reason: 'no',
      errorName: 'PROCESSOR_TRANSCRIPTION_ERROR',
      quantities: QUANTITIES,
      bill,
    };
    story.start('transcriber').tell({ type: 'ProcessorFailed', data: failure });
    expect((await usage()).processors[0]).toMatchObject({ finalUsage: true, errorOccurred: true, credits: '0' });
  });

  test('is 404 for others and for an unknown stream', async () => {
    const { call, streamId } = await world();
    for (const as of ['other', 'auditor']) expect((await call(`${USAGE}/${streamId}`, as)).status).toBe(404);
    expect((await call(`${USAGE}/no-uuid`)).status).toBe(404);
    expect((await call(`${USAGE}/${streamId}`, 'admin')).status).toBe(200);
  });
});
