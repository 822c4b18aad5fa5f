import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { chatAnswer, HELLO_HEARD } from '../fakes/engineServer.ts';
import { wavOf } from '../wav.ts';
import { type Call, call, PING_TEMPLATE, streamEnd, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { serverWithEngines } from './serverWithEngines.ts';

const { server, speech, chat } = serverWithEngines({ MAX_ATTEMPTS: '1', MAX_CONCURRENT_STREAMS: '2' });
beforeEach(() => {
  speech.reset();
  chat.reset();
});

const WAV = wavOf(Buffer.alloc(3_200, 1));

const AUTHENTICATION_FAILED = { status: 401, body: { error: { message: 'no key' } } };

const transcribe = async (query: Readonly<Record<string, string>> = { summary: 'true' }): Promise<string> => {
  const wanted = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true', ...query };
  const { body } = await upload(server.url, wanted, WAV);
  return (await streamEnd(server.url, body.streamId)).streamId;
};
const rerun = (streamId: string, body: object, options: Call = {}) =>
  call(server.url, `/stream-service/api/v1/streams/${streamId}/rerun`, { method: 'POST', body, ...options });
const components = (streamId: string, query = '') => call(server.url, `/stream-service/api/v1/streams/${streamId}/components${query}`);
const exported = (streamId: string, query = '') => call(server.url, `/export-service/api/v1/export/JSON?streams=${streamId}${query}`);
const events = async (streamId: string) =>
  (await call(server.url, `/stream-service/api/v1/streams/${streamId}/events`)).body.content as {
    type: string;
    data: object;
    actor: string;
  }[];

describe('a rerun', () => {
  test('completes a failed stream from its last stage without calling the engine of the first', async () => {
    speech.next({ body: HELLO_HEARD });
    chat.always(AUTHENTICATION_FAILED);
    const streamId = await transcribe();
    expect((await components(streamId)).body).toMatchObject({ state: 'FAILED', attempt: 1 });
    const before = await events(streamId);
    chat.always(chatAnswer('They greet.', { prompt: 10, completion: 5 }));
    const answer = await rerun(streamId, { from: 'llm', reason: 'The model was away.' });
    expect([answer.status, answer.body]).toEqual([202, { streamId, attempt: 2 }]);
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED', attempt: 2, stateDescription: null });
    expect(speech.calls).toHaveLength(1);
    expect((await exported(streamId)).body).toMatchObject({ transcription: { text: 'Hello there.' }, summary: { content: 'They greet.' } });
    const after = await events(streamId);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after[before.length]).toMatchObject({ type: 'RerunStarted', data: { attempt: 2, from: 'llm', reason: 'The model was away.' } });
    expect(after.slice(before.length).map(({ type }) => type)).toEqual([
      'RerunStarted',
      'ProcessorStarted',
      'ProcessorCompleted',
      'StreamCompleted',
    ]);
  });

  test('keeps the results and the components of every attempt', async () => {
    speech.always({ body: HELLO_HEARD });
    chat.next(chatAnswer('First.', { prompt: 10, completion: 5 }));
    const streamId = await transcribe();
    chat.next(chatAnswer('Second.', { prompt: 10, completion: 5 }));
    await rerun(streamId, { from: 'llm', patches: { summaryLength: 'detailed' } });
    await streamEnd(server.url, streamId);
    expect((await exported(streamId)).body.summary).toEqual({ content: 'Second.' });
    expect((await exported(streamId, '&attempt=2')).body.summary).toEqual({ content: 'Second.' });
    expect((await exported(streamId, '&attempt=1')).body.summary).toEqual({ content: 'First.' });
    const { body } = await components(streamId, '?attempt=1');
    expect(body).toMatchObject({ attempt: 1, state: 'COMPLETED', processors: [{ attempt: 1 }, { attempt: 1, tries: 1 }] });
    expect((await components(streamId)).body).toMatchObject({
      attempt: 2,
      processors: [{ attempt: 1 }, { attempt: 2, tries: 1 }],
      attempts: [
        { attempt: 1, from: null, state: 'COMPLETED' },
        { attempt: 2, from: 'llm', state: 'COMPLETED' },
      ],
    });
    for (const path of ['&attempt=3', '&attempt=7']) expect((await exported(streamId, path)).status).toBe(404);
    expect((await components(streamId, '?attempt=3')).status).toBe(404);
  });

  test('that is canceled hides no result of the attempt before', async () => {
    speech.next({ body: HELLO_HEARD });
    chat.always(chatAnswer('They greet.', { prompt: 10, completion: 5 }));
    const streamId = await transcribe();
    const read = async (path: string) => (await call(server.url, `${path}streams=${streamId}`)).text;
    const live = () => read('/egress-service/api/v1/egress/live?finalOnly=true&');
    const [json, events, seen] = [(await exported(streamId)).text, await read('/export-service/api/v1/export/EVENTS?'), await live()];
    expect(json).toContain('They greet.');
    speech.next('hang');
    await rerun(streamId, {});
    await eventually(() => expect(speech.open()).toBe(1));
    await call(server.url, `/stream-service/api/v1/streams/${streamId}/cancel`, { method: 'PUT' });
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'FAILED', attempt: 2 });
    expect((await exported(streamId)).text).toBe(json);
    expect((await exported(streamId, '&attempt=2')).status).toBe(204);
    expect(await read('/export-service/api/v1/export/EVENTS?')).toBe(events);
    expect(await live()).toBe(seen);
  });

  test('has a usage record for each attempt of a stage', async () => {
    speech.always({ body: HELLO_HEARD });
    chat.always(chatAnswer('Sum.', { prompt: 100, completion: 10 }));
    const streamId = await transcribe();
    await rerun(streamId, {});
    await streamEnd(server.url, streamId);
    const { body } = await call(server.url, `/usage-service/api/v1/usage/streams/${streamId}`);
    const told = body.processors.map(({ processorId, attempt, finalUsage, credits }: Record<string, unknown>) => ({
      ...{ processorId, attempt, finalUsage, credits },
    }));
    const [transcriber, llm] = told;
    expect(told).toEqual([
      { processorId: 'transcriber', attempt: 1, finalUsage: true, credits: '0.5' },
      { processorId: 'llm', attempt: 1, finalUsage: true, credits: llm.credits },
      { ...transcriber, attempt: 2 },
      { ...llm, attempt: 2 },
    ]);
  });

  test('applies its patches to this attempt only', async () => {
    speech.always({ body: HELLO_HEARD });
    chat.always(chatAnswer('Sum.', { prompt: 1, completion: 1 }));
    const streamId = await transcribe({ summary: 'false' });
    const properties = async () =>
      (await call(server.url, `/stream-service/api/v1/streams/${streamId}`)).body.configuration.processors[1].properties.summary;
    expect((await rerun(streamId, { from: 'llm', patches: { summary: 'true' } })).status).toBe(202);
    await streamEnd(server.url, streamId);
    expect(await properties()).toMatchObject({ enabled: true });
    expect((await rerun(streamId, { from: 'llm' })).status).toBe(202);
    await streamEnd(server.url, streamId);
    expect(await properties()).toMatchObject({ enabled: false });
  });

  test('rejects invalid requests with a reason', async () => {
    speech.always({ body: HELLO_HEARD });
    chat.always(chatAnswer('Sum.', { prompt: 1, completion: 1 }));
    const streamId = await transcribe();
    const refusals = async (body: object) => {
      const { status, body: error } = await rerun(streamId, body);
      return [status, error.internalErrorName];
    };
    expect(await refusals({ from: 'nothing' })).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
    expect(await refusals({ patches: { nothing: 1 } })).toEqual([400, 'STREAM_CONFIGURATION_BAD_PATCH']);
    expect(await refusals({ from: 'llm', patches: { language: 'en' } })).toEqual([400, 'STREAM_CONFIGURATION_BAD_PATCH']);
    // A stage that does not run again comes before a value that does not fit its schema.
    expect(await refusals({ from: 'llm', patches: { language: 7 } })).toEqual([400, 'STREAM_CONFIGURATION_BAD_PATCH']);
    expect(await refusals({ patches: { summaryLength: 'endless' } })).toEqual([400, 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']);
    expect(await refusals({ unknown: true })).toEqual([400, 'GENERAL_VALIDATION_ERROR']);
    expect((await rerun(randomUUID(), {})).status).toBe(404);
    await call(server.url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE' });
    expect((await rerun(streamId, {})).status).toBe(410);
  });

  test('rejects a running stream, and a stage whose predecessor has no output', async () => {
    speech.always('hang');
    const wanted = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' };
    const { body } = await upload(server.url, wanted, WAV);
    expect((await rerun(body.streamId, {})).status).toBe(409);
    await call(server.url, `/stream-service/api/v1/streams/${body.streamId}/cancel`, { method: 'PUT' });
    const refused = await rerun(body.streamId, { from: 'llm' });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'The stage transcriber has no complete output to continue from. Rerun from transcriber or an earlier stage.',
    ]);
  });

  test('creates one attempt for the same key and body', async () => {
    speech.always({ body: HELLO_HEARD });
    const streamId = await transcribe({});
    const headers = { 'Idempotency-Key': 'once' };
    const [one, two] = await Promise.all([rerun(streamId, {}, { headers }), rerun(streamId, {}, { headers })]);
    expect([one.body, two.body]).toEqual([
      { streamId, attempt: 2 },
      { streamId, attempt: 2 },
    ]);
    await streamEnd(server.url, streamId);
    expect((await rerun(streamId, {}, { headers })).body).toEqual({ streamId, attempt: 2 });
    expect((await rerun(streamId, { reason: 'other' }, { headers })).status).toBe(409);
  });

  test('takes a place among the running streams, and finishes its group again', async () => {
    const ended = async () => {
      const { body } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x');
      await streamEnd(server.url, body.streamId);
      return body.streamId;
    };
    const [first, group] = [await ended(), await ended()];
    speech.always('hang');
    const wanted = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' };
    const running = await Promise.all([upload(server.url, wanted, WAV), upload(server.url, wanted, WAV)]);
    const refused = await rerun(first, {});
    expect([refused.status, refused.body.internalErrorName]).toEqual([429, 'STREAM_USAGE_LIMIT_REACHED']);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    for (const { body } of running) await call(server.url, `/stream-service/api/v1/streams/${body.streamId}/cancel`, { method: 'PUT' });
    const groupOf = async () => (await call(server.url, `/stream-service/api/v1/groups/${group}`)).body;
    const before = await eventually(async () => {
      const found = await groupOf();
      return found.state === 'COMPLETED' && found;
    });
    expect((await rerun(group, {})).status).toBe(202);
    await streamEnd(server.url, group);
    const again = await eventually(async () => {
      const found = await groupOf();
      return found.state === 'COMPLETED' && found.finalizedTimestamp > before.finalizedTimestamp && found;
    });
    expect(again).toMatchObject({ state: 'COMPLETED', streamsCount: 1 });
  });
});
