import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { ErrorResponse } from '../../../src/domain/problem.ts';
import type { StreamComponents } from '../../../src/domain/stream/streamComponents.ts';
import type { Stream } from '../../../src/domain/stream/streamResource.ts';
import type { Page } from '../../../src/http/answers/page.ts';
import { groupRoutes } from '../../../src/http/streams/groupRoutes.ts';
import { streamRoutes } from '../../../src/http/streams/streamRoutes.ts';
import { STREAM_SCHEMA } from '../../../src/http/streams/streamSchemas.ts';
import { memberOf } from '../../../src/json.ts';
import { groupsProjection } from '../../../src/projections/groups.ts';
import { streamsProjection } from '../../../src/projections/streams.ts';
import { eventually } from '../../eventually.ts';
import { MemoryReadModels } from '../../fakes/memoryReadModels.ts';
import { MemoryTopics } from '../../fakes/memoryTopics.ts';
import { BILL, ProjectedStream, QUANTITIES } from './projectedStream.ts';
import { bodyOf, type Call, OWNER, served } from './served.ts';

const STREAMS = '/stream-service/api/v1/streams';
const GROUPS = '/stream-service/api/v1/groups';

/** Reads never touch the log but through the read models. */
const noLog = () => {
  throw new Error('a read went to the log');
};
const LOG = {
  append: noLog,
  readStream: noLog,
  readAll: noLog,
  subscribe: noLog,
  head: noLog,
  readStored: noLog,
  length: noLog,
  decode: noLog,
  keepsTopics: false,
};

const world = async () => {
  const readModels = new MemoryReadModels();
  const routes = [
    ...streamRoutes({ readModels, log: LOG, topics: new MemoryTopics(systemClock), clock: systemClock }),
    ...groupRoutes({ readModels }),
  ];
  const call = await served(routes, readModels, systemClock);
  const story = (groupId: string = randomUUID(), created?: number) => {
    const streamId = randomUUID();
    const processors = [{ id: 'echo', schema: 'bytes' }];
    return { streamId, groupId, story: new ProjectedStream(readModels, { streamId, creatorId: OWNER, groupId, processors }, created) };
  };
  return { call, story, readModels };
};

const pageOf = (call: Call, query = '', as = 'owner'): Promise<Page<Stream>> => bodyOf(call(`${STREAMS}${query}`, as));
const idsOf = async (call: Call, query = '', as = 'owner') => (await pageOf(call, query, as)).content.map(({ streamId }) => streamId);

describe('a stream in a list', () => {
  const listed = async (call: Call) =>
    (await bodyOf<Page<Stream & { audioLength: number | null; credits: string }>>(call(STREAMS))).content[0];

  test('has neither length nor cost until a processor has ended', async () => {
    const { call, story } = await world();
    story().story.start('echo');
    expect(await listed(call)).toMatchObject({ audioLength: null, credits: '0', advice: null });
  });

  test('has the codes of the warnings in its results, each once', async () => {
    const { call, story } = await world();
    const told = story();
    const run = { processorId: 'echo', attempt: 1 };
    told.story.start('echo').tell({
      type: 'ProcessorCompleted',
      data: { ...run, description: null, quantities: QUANTITIES, bill: BILL, warnings: ['OTHER_TRACKS', 'NOTE', 'OTHER_TRACKS'] },
    });
    expect(await listed(call)).toMatchObject({ warnings: ['OTHER_TRACKS', 'NOTE'] });
    story().story.completeAll();
    expect((await pageOf(call)).content.map((stream) => memberOf(stream, 'warnings'))).toContainEqual([]);
  });

  test('has the length of its audio, and the cost of all runs of all attempts', async () => {
    const { call, story } = await world();
    const told = story();
    told.story.completeAll();
    expect(await listed(call)).toMatchObject({ audioLength: 60_000, credits: '0.5' });
    told.story.tell({
      type: 'RerunStarted',
      data: {
        ...{ attempt: 2, from: null, reason: null, streamConfigurationTemplateId: 'template', idempotency: null },
        processors: [
          {
            ...{ processorId: 'echo', operationType: 'NO_OPERATION', sourceTopic: 'source', destinationTopic: 'again' },
            properties: {},
          },
        ],
      },
    });
    expect(await listed(call)).toMatchObject({ attempt: 2, audioLength: null, credits: '0.5' });
    told.story.start('echo').tell({
      type: 'ProcessorCompleted',
      data: { processorId: 'echo', attempt: 1, streamAttempt: 2, description: null, quantities: QUANTITIES, bill: BILL },
    });
    expect(await listed(call)).toMatchObject({ audioLength: 60_000, credits: '1' });
  });
});

describe('one stream', () => {
  test('has exactly the documented members', async () => {
    const { call, story } = await world();
    const { streamId, groupId } = story();
    const stream = await bodyOf<Stream>(call(`${STREAMS}/${streamId}`));
    expect(Object.keys(stream).sort()).toEqual(Object.keys(STREAM_SCHEMA.properties ?? {}).sort());
    expect(stream).toMatchObject({ streamId, groupId, state: 'READY', stateDescription: null, finalizedTimestamp: null });
  });

  test("is the same 404 whether unknown, another's or without a UUID; an admin sees it", async () => {
    const { call, story } = await world();
    const { streamId } = story();
    const refusals = await Promise.all(
      [
        call(`${STREAMS}/${randomUUID()}`),
        call(`${STREAMS}/no-uuid`),
        ...['other', 'auditor', 'gateway'].map((as) => call(`${STREAMS}/${streamId}`, as)),
      ].map((answer) => bodyOf<ErrorResponse>(answer)),
    );
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
    expect(refusals[0]).toMatchObject({ statusCode: 404, internalErrorName: 'GENERAL_NOT_FOUND_ERROR' });
    expect((await call(`${STREAMS}/${streamId}`, 'admin')).status).toBe(200);
  });

  test('has components that follow its events', async () => {
    const { call, story } = await world();
    const told = story();
    const components = () => bodyOf<StreamComponents>(call(`${STREAMS}/${told.streamId}/components`));
    expect(await components()).toMatchObject({
      state: 'READY',
      gateway: { state: 'CONNECTED' },
      processors: [{ processorId: 'echo', state: 'WAITING' }],
    });
    told.story.completeAll();
    expect(await components()).toEqual({
      streamId: told.streamId,
      groupId: told.groupId,
      state: 'COMPLETED',
      stateDescription: null,
      advice: null,
      stateChangedTimestamp: '2026-01-01T00:00:04.000Z',
      attempt: 1,
      gateway: { state: 'CLOSED', stateChangedTimestamp: '2026-01-01T00:00:01.000Z' },
      processors: [
        {
          ...{ processorId: 'echo', state: 'COMPLETED', stateChangedTimestamp: '2026-01-01T00:00:03.000Z', stateDescription: null },
          ...{ attempt: 1, tries: 1, errorName: null },
          ...{ startedTimestamp: '2026-01-01T00:00:02.000Z', endedTimestamp: '2026-01-01T00:00:03.000Z' },
        },
      ],
      attempts: [
        {
          ...{ attempt: 1, from: null, reason: null, state: 'COMPLETED', stateDescription: null },
          ...{ startedTimestamp: '2026-01-01T00:00:00.000Z', endedTimestamp: '2026-01-01T00:00:04.000Z' },
        },
      ],
    });
    expect((await call(`${STREAMS}/${told.streamId}/components`, 'other')).status).toBe(404);
  });

  test('cannot be cancelled by an id that is not a UUID: 404', async () => {
    const { call } = await world();
    expect((await call(`${STREAMS}/no-uuid/cancel`, 'owner', { method: 'PUT' })).status).toBe(404);
  });
});

describe('the list', () => {
  test('is newest first and paged', async () => {
    const { call, story } = await world();
    const [a, b, c] = [1, 2, 3].map((n) => story(undefined, n * 1000).streamId);
    expect(await idsOf(call)).toEqual([c, b, a]);
    expect(await pageOf(call, '?page=2147483647&size=100')).toMatchObject({ number: 2_147_483_647, content: [], empty: true, last: true });
    expect(await pageOf(call, '?page=1&size=2')).toMatchObject({
      totalPages: 2,
      totalElements: 3,
      numberOfElements: 1,
      size: 2,
      number: 1,
      first: false,
      last: true,
      empty: false,
      pageable: { paged: true, pageNumber: 1, pageSize: 2, offset: 2 },
      content: [{ streamId: a }],
    });
  });

  test('filters by several states, a group and an exact name', async () => {
    const { call, story } = await world();
    const a = story(undefined, 1000);
    const b = story(undefined, 2000);
    const c = story(undefined, 3000);
    a.story.completeAll();
    b.story.tell({ type: 'StreamFailed', data: { reason: null } });
    expect(await idsOf(call, '?state=COMPLETED')).toEqual([a.streamId]);
    expect(await idsOf(call, '?state=COMPLETED&state=FAILED')).toEqual([b.streamId, a.streamId]);
    expect(await idsOf(call, `?group=${c.groupId}`)).toEqual([c.streamId]);
    expect(await idsOf(call, `?group=${randomUUID()}`)).toEqual([]);
    expect(await idsOf(call, '?name=told&size=1')).toEqual([c.streamId]);
    expect(await idsOf(call, '?name=tol')).toEqual([]);
  });

  test('finds names by a part in any case, a template, and the time of creation', async () => {
    const { call, story } = await world();
    const [a, b, c] = [1, 2, 3].map((n) => story(undefined, Date.parse(`2026-01-0${n}T00:00:00Z`)));
    if (!a || !b || !c) throw new Error('three streams');
    a.story.tell({ type: 'StreamRenamed', data: { name: 'Ședința de luni 100%' } });
    b.story.tell({ type: 'StreamRenamed', data: { name: 'Monday call' } });
    expect(await idsOf(call, `?nameContains=${encodeURIComponent('ȘEDINȚA')}`)).toEqual([a.streamId]);
    expect(await idsOf(call, `?nameContains=${encodeURIComponent('0%')}`)).toEqual([a.streamId]);
    expect(await idsOf(call, '?nameContains=.*')).toEqual([]);
    expect(await idsOf(call, '?nameContains=MON&until=2026-01-01')).toEqual([]);
    expect(await pageOf(call, '?nameContains=o&size=1&page=1')).toMatchObject({ totalElements: 2, content: [{ streamId: b.streamId }] });
    expect(await idsOf(call, '?since=2026-01-02&until=2026-01-03T02:00:00%2B02:00')).toEqual([c.streamId, b.streamId]);
    expect(await idsOf(call, '?since=2026-01-02T00:00:00.001Z')).toEqual([c.streamId]);
    expect(await idsOf(call, '?until=2026-01-02')).toEqual([b.streamId, a.streamId]);
    const [shown] = (await pageOf(call)).content;
    expect(await idsOf(call, `?streamConfigurationTemplateId=${shown?.configuration.streamConfigurationTemplateId}&size=1`)).toEqual([
      c.streamId,
    ]);
    expect(await idsOf(call, '?streamConfigurationTemplateId=another')).toEqual([]);
    expect(await idsOf(call, '?nameContains=monday', 'other')).toEqual([]);
  });

  test('searches at most the newest 2,000 streams that match the other filters, at most 10 at a time', async () => {
    const { call, story, readModels } = await world();
    const { streamId, story: told } = story(undefined, Date.parse('2026-01-01T00:00:00Z'));
    told.tell({ type: 'StreamRenamed', data: { name: 'needle' } });
    const hay = await readModels.get(streamsProjection, streamId);
    for (let n = 0; n < 2_000; n++)
      readModels.put('streams', `hay-${n}`, { ...hay, streamId: `hay-${n}`, name: 'hay', createdTimestamp: '2026-01-02T00:00:00.000Z' });
    const reads: number[] = [];
    const getMany = readModels.getMany.bind(readModels);
    readModels.getMany = (model, ids) => {
      reads.push(ids.length);
      return getMany(model, ids);
    };
    expect(await idsOf(call, '?nameContains=needle')).toEqual([]);
    expect(reads.reduce((sum, count) => sum + count, 0)).toBe(2_000);
    expect(Math.max(...reads)).toBe(10);
    expect(await idsOf(call, '?nameContains=needle&until=2026-01-01')).toEqual([streamId]);
  });

  test('ends a search whose client has left', async () => {
    const { call, story, readModels } = await world();
    for (let n = 0; n < 30; n++) story();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    const getMany = readModels.getMany.bind(readModels);
    readModels.getMany = async (model, ids) => {
      reads += 1;
      await released;
      return getMany(model, ids);
    };
    const leaving = new AbortController();
    const left = call(`${STREAMS}?nameContains=x`, 'owner', { signal: leaving.signal });
    await eventually(() => reads === 1);
    leaving.abort();
    await Promise.allSettled([left]);
    // The server has seen them leave once it answers a later request.
    expect((await call(`${STREAMS}?page=nowhere`)).status).toBe(400);
    release();
    expect(await idsOf(call, '?nameContains=x')).toEqual([]);
    // One of the search that had begun; the others are of the last one.
    expect(reads).toBe(1 + 3);
  });

  test('shows users and admins their own; only an admin may name another subject', async () => {
    const { call, story } = await world();
    const { streamId, groupId } = story();
    expect(await idsOf(call, '', 'other')).toEqual([]);
    expect(await idsOf(call, `?group=${groupId}`, 'other')).toEqual([]);
    expect(await idsOf(call, '', 'admin')).toEqual([]);
    expect(await idsOf(call, `?subject=${OWNER}`, 'admin')).toEqual([streamId]);
    expect(await idsOf(call, `?subject=${OWNER}`)).toEqual([streamId]);
    expect((await call(`${STREAMS}?subject=${OWNER}`, 'other')).status).toBe(403);
  });

  test.each([
    'state=RUNNING',
    'size=0',
    'size=101',
    'page=-1',
    'page=x',
    'size=1&size=2',
    'name=a&name=b',
    'nameContains=',
    'since=yesterday',
    'until=2026-02-30',
  ])('refuses %s', async (query) => {
    const { call } = await world();
    const response = await call(`${STREAMS}?${query}`);
    expect(response.status).toBe(400);
    expect(await bodyOf<ErrorResponse>(response)).toMatchObject({ internalErrorName: 'GENERAL_VALIDATION_ERROR' });
  });
});

describe('a group', () => {
  test('is shown to its owner and to an admin, 404 to others', async () => {
    const { call, readModels } = await world();
    const groupId = randomUUID();
    const data = { groupId, creatorId: OWNER };
    const metadata = {
      time: '2026-01-01T00:00:00.000Z',
      subject: OWNER,
      actor: 'test',
      $correlationId: 'test',
      $causationId: 'test',
      schemaVersion: 1,
      previousHash: null,
      hash: '',
    };
    const event = { id: 'e', eventStream: `group-${groupId}`, revision: 0n, position: '0' as never, type: 'GroupCreated', data, metadata };
    const group = groupsProjection.evolve(null, event, groupId);
    if (group) readModels.put('groups', groupId, group);
    expect(await bodyOf(call(`${GROUPS}/${groupId}`))).toEqual({
      groupId,
      state: 'CREATED',
      creatorId: OWNER,
      createdTimestamp: '2026-01-01T00:00:00.000Z',
      finalizedTimestamp: null,
      streamsCount: 0,
    });
    expect((await call(`${GROUPS}/${groupId}`, 'admin')).status).toBe(200);
    for (const as of ['other', 'auditor']) expect((await call(`${GROUPS}/${groupId}`, as)).status).toBe(404);
    expect((await call(`${GROUPS}/no-uuid`)).status).toBe(404);
  });
});
