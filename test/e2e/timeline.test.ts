import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { chatAnswer, HELLO_HEARD } from '../fakes/engineServer.ts';
import { call, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { serverWithEngines } from './serverWithEngines.ts';

const { server, speech, chat } = serverWithEngines({ TRANSCRIBER_MODEL: 'large', MAX_ATTEMPTS: '1' });
let other: string;
beforeAll(async () => {
  const { body } = await call(server.url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label: 'other', role: 'user' },
  });
  other = body.secret;
});
beforeEach(() => {
  speech.reset();
  chat.reset();
});

const STREAMS = '/stream-service/api/v1/streams';
const attemptsOf = async (streamId: string, query = '') => (await call(server.url, `${STREAMS}/${streamId}/attempts${query}`)).body.content;
const data = (streamId: string, path: string, key?: string) =>
  call(server.url, `${STREAMS}/${streamId}/attempts/${path}`, key === undefined ? {} : { key });
const transcribe = async (): Promise<string> => {
  const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true', summary: 'true' };
  return (await upload(server.url, query, Buffer.alloc(4_000, 1))).body.streamId;
};

describe('the timeline of a run', () => {
  test('shows each attempt of each stage with state, times, sizes, engine and model, trace, error with advice, and cost', async () => {
    speech.always({ body: HELLO_HEARD });
    chat.always({ status: 401, body: { error: { message: 'no key' } } });
    const streamId = await transcribe();
    await streamEnd(server.url, streamId);
    chat.always(chatAnswer('They greet.', { prompt: 10, completion: 5 }));
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
    await call(server.url, `${STREAMS}/${streamId}/rerun`, {
      method: 'POST',
      body: { from: 'llm', reason: 'The key was wrong.' },
      headers,
    });
    await streamEnd(server.url, streamId);
    const [second, first] = await attemptsOf(streamId);
    expect(first).toMatchObject({
      ...{ attempt: 1, from: null, state: 'FAILED', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) },
      stages: [
        {
          ...{ processorId: 'transcriber', state: 'COMPLETED', mode: 'batch', error: null, credits: '0.5', waits: [] },
          ...{ engine: { model: 'large' }, input: { messageSchema: 'bytes', bytes: 4_000, kept: true }, output: { kept: true } },
          tries: [{ number: 1, startedTimestamp: expect.any(String) }],
        },
        {
          ...{ processorId: 'llm', previousProcessorId: 'transcriber', state: 'FAILED', engine: { name: 'llm', model: 'small' } },
          error: {
            name: 'PROCESSOR_GENERAL_ERROR',
            message: expect.any(String),
            advice: expect.stringContaining('run the stream again from llm'),
          },
          output: { kept: false },
        },
      ],
    });
    expect(first.stages[0].queuedTimestamp <= first.stages[0].startedTimestamp).toBe(true);
    expect(first.stages[0].startedTimestamp <= first.stages[0].endedTimestamp).toBe(true);
    expect(second).toMatchObject({ attempt: 2, from: 'llm', reason: 'The key was wrong.', state: 'COMPLETED', traceId: trace });
    expect(second.stages).toMatchObject([{ processorId: 'llm', state: 'COMPLETED', quantities: { processedInputTokens: 10 } }]);
    expect(second.credits).toBe(second.stages[0].credits);
  });

  test('shows that and how long a stage waits for its engine', async () => {
    speech.next({ status: 503, body: {} });
    speech.always({ status: 503, body: {} });
    const streamId = await transcribe();
    const waiting = await eventually(async () => {
      const [{ stages }] = await attemptsOf(streamId);
      return stages[0].state === 'WAITING_FOR_ENGINE' && stages[0];
    });
    expect(waiting.waits).toEqual([{ since: expect.any(String), until: null, reason: expect.any(String) }]);
    speech.always({ body: HELLO_HEARD });
    chat.always(chatAnswer('Sum.', { prompt: 1, completion: 1 }));
    await streamEnd(server.url, streamId, 30_000);
    const [{ stages }] = await attemptsOf(streamId);
    expect(stages[0]).toMatchObject({ state: 'COMPLETED', waits: [{ since: waiting.waits[0].since, until: expect.any(String) }] });
  });

  test('is paged, answers 304 while nothing changes, and is for the owner only', async () => {
    const { body } = await upload(server.url, { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true' }, 'Ana called.');
    const { streamId } = body;
    await streamEnd(server.url, streamId);
    await call(server.url, `${STREAMS}/${streamId}/rerun`, { method: 'POST', body: {} });
    await streamEnd(server.url, streamId);
    expect(await attemptsOf(streamId, '?size=1&page=1')).toMatchObject([{ attempt: 1 }]);
    const { headers } = await call(server.url, `${STREAMS}/${streamId}/attempts`);
    const again = await call(server.url, `${STREAMS}/${streamId}/attempts`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
    for (const path of [`${streamId}/attempts`, `${streamId}/rerun`, `${randomUUID()}/attempts`])
      expect((await call(server.url, `${STREAMS}/${path}`, { key: other })).status).toBe(404);
  });

  test('returns the input and the output of a stage, in full or the first lines', async () => {
    chat.always(chatAnswer('Sum.', { prompt: 1, completion: 1 }));
    const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' };
    const { body } = await upload(server.url, query, 'Ana called.\nBen wrote.\n');
    const { streamId } = body;
    await streamEnd(server.url, streamId);
    const [{ stages }] = await attemptsOf(streamId);
    const [{ processorId }] = stages;
    const input = await data(streamId, `1/stages/${processorId}/input`);
    expect([input.status, input.headers.get('content-type'), input.text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'Ana called.\nBen wrote.\n',
    ]);
    expect((await data(streamId, `1/stages/${processorId}/input?lines=1`)).text).toBe('Ana called.\n');
    const output = await data(streamId, `1/stages/${processorId}/output`);
    expect(output.headers.get('content-type')).toBe('application/x-ndjson');
    expect(JSON.parse(output.text)).toMatchObject({ frameType: 'final', payload: { summary: [{ content: 'Sum.' }] } });
    for (const path of [`2/stages/${processorId}/output`, '1/stages/nothing/output', `x/stages/${processorId}/input`])
      expect((await data(streamId, path)).status).toBe(404);
    expect((await data(streamId, `1/stages/${processorId}/output`, other)).status).toBe(404);
  });

  test('says which stages a rerun can begin with, and why others cannot', async () => {
    speech.always({ status: 422, body: { error: { message: 'no' } } });
    const streamId = await transcribe();
    await streamEnd(server.url, streamId);
    const options = async () => (await call(server.url, `${STREAMS}/${streamId}/rerun`)).body.options;
    expect(await options()).toEqual([
      { from: null, refusal: null },
      { from: 'transcriber', refusal: null },
      { from: 'llm', refusal: { statusCode: 409, message: expect.stringContaining('transcriber has no complete output') } },
    ]);
    await call(server.url, `${STREAMS}/${streamId}`, { method: 'DELETE' });
    const gone = { statusCode: 410, message: expect.stringContaining('deleted') };
    expect((await options()).map(({ refusal }: { refusal: object }) => refusal)).toEqual([gone, gone, gone]);
    const [{ stages }] = await attemptsOf(streamId);
    expect(stages[0].input.kept).toBe(false);
    const read = await data(streamId, '1/stages/transcriber/input');
    expect([read.status, read.body.message]).toEqual([404, expect.stringContaining('no longer kept')]);
  });
});
