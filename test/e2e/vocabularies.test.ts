import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { heardWords, type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { call, streamEnd, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const VOCABULARIES = '/stream-configuration-service/api/v1/vocabularies';

let speech: StubEngine;
let server: RunningServer;
beforeAll(async () => {
  speech = await startStubEngine();
  server = await startServer({ environment: { TRANSCRIBER_URL: speech.url } });
});
afterAll(async () => {
  await server.kill();
  await speech.close();
});
beforeEach(() => {
  speech.reset();
  speech.always({
    body: {
      ...{ language: 'english', duration: 3, text: 'We run tribute airy in New York, and kur rent.' },
      words: heardWords(
        ...([
          ['We', 0, 0.2],
          ['run', 0.2, 0.4],
          ['tribute', 0.5, 0.8],
          ['airy', 0.8, 1],
        ] as const),
        ...([
          ['in', 1, 1.1],
          ['New', 1.2, 1.4],
          ['York', 1.4, 1.7],
          ['and', 1.8, 1.9],
          ['kur', 2, 2.2],
          ['rent', 2.2, 2.6],
        ] as const),
      ),
    },
  });
});

const newKey = async (): Promise<string> => {
  const body = { kind: 'api-key', label: 'a user', role: 'user' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

const library = async () => {
  const key = await newKey();
  const save = (body: object) => call(server.url, VOCABULARIES, { method: 'PUT', body, key });
  const list = async () => (await call(server.url, VOCABULARIES, { key })).body;
  const send = (query: Record<string, string>) =>
    upload(server.url, { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true', ...query }, 'RIFF', { key });
  const transcribed = async (query: Record<string, string>) => {
    const { body, status } = await send(query);
    expect([status, body]).toEqual([200, expect.objectContaining({ streamId: expect.any(String) })]);
    await streamEnd(server.url, body.streamId);
    return (await call(server.url, `/export-service/api/v1/export/JSON?streams=${body.streamId}`, { key })).body;
  };
  return { key, save, list, send, transcribed };
};

describe('a saved vocabulary', () => {
  test('is created, replaced, listed by name, read and deleted', async () => {
    const { key, save, list } = await library();
    const made = await save({ name: ' Products ', terms: ['Tributary', ' Kurrent', 'Tributary', ''] });
    expect([made.status, made.headers.get('location')]).toEqual([201, `${VOCABULARIES}/${made.body.id}`]);
    expect(made.body).toMatchObject({ name: 'Products', terms: ['Tributary', 'Kurrent'], replacements: {} });
    await save({ name: 'Cities', replacements: { 'new york': 'NYC' } });
    const changed = await save({ id: made.body.id, name: 'Names', terms: ['Ana'] });
    expect([changed.status, changed.body.terms, changed.body.createdTimestamp]).toEqual([200, ['Ana'], made.body.createdTimestamp]);
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['Cities', 'Names']);
    expect((await call(server.url, `${VOCABULARIES}/${made.body.id}`, { key })).body).toEqual(changed.body);
    expect((await call(server.url, `${VOCABULARIES}/${made.body.id}`, { method: 'DELETE', key })).status).toBe(204);
    expect((await call(server.url, `${VOCABULARIES}/${made.body.id}`, { key })).status).toBe(404);
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['Cities']);
  });

  test('has a name of its own without case, and something in it', async () => {
    const { key, save } = await library();
    const { body } = await save({ name: 'Products', terms: ['a'] });
    expect(await save({ name: 'PRODUCTS', terms: ['b'] })).toMatchObject({
      status: 409,
      body: { message: 'You have a vocabulary named "Products". Choose another name.' },
    });
    expect((await save({ id: body.id, name: 'products', terms: ['b'] })).status).toBe(200);
    expect((await save({ id: '0d5dd8a4-5a0c-4a9f-9a53-2e5b8f0a7c11', name: 'x', terms: ['b'] })).status).toBe(404);
    for (const bad of [
      { name: '  ', terms: ['a'] },
      { name: 'x' },
      { name: 'x', terms: ['@y'] },
      { name: 'x', replacements: { ' ': 'a' } },
    ])
      expect([bad, (await save(bad)).status]).toEqual([bad, 400]);
    const others = await newKey();
    expect((await call(server.url, `${VOCABULARIES}/${body.id}`, { key: others })).status).toBe(404);
    expect((await call(server.url, `${VOCABULARIES}/${body.id}`, { method: 'DELETE', key: others })).status).toBe(404);
    expect((await call(server.url, VOCABULARIES, { method: 'PUT', body: { name: 'Products', terms: ['a'] }, key: others })).status).toBe(
      201,
    );
    expect((await call(server.url, VOCABULARIES, { key })).body).toHaveLength(1);
  });

  test('is taken by its name: the engine gets its terms, and its replacements keep the times', async () => {
    const { save, transcribed } = await library();
    await save({
      name: 'Our products',
      terms: ['Tributary', 'Kurrent'],
      replacements: { 'Tribute Airy': 'Tributary', 'kur rent': 'Kurrent', 'new york': 'NYC', or: 'OR', and: '' },
    });
    const { transcription } = await transcribed({ vocabulary: '@our PRODUCTS' });
    expect(speech.calls[0]?.fields.prompt).toBe('Tributary, Kurrent');
    expect(transcription.text).toBe('We run Tributary in NYC, Kurrent.');
    expect(transcription.words).toEqual([
      { word: 'We', start: 0, end: 200, language: 'en' },
      { word: ' run', start: 200, end: 400, language: 'en' },
      { word: ' Tributary', start: 500, end: 1000, language: 'en' },
      { word: ' in', start: 1000, end: 1100, language: 'en' },
      { word: ' NYC,', start: 1200, end: 1700, language: 'en' },
      { word: ' Kurrent.', start: 2000, end: 2600, language: 'en' },
    ]);
  });

  test('joins other words, and may be named in a configuration part and in a rerun', async () => {
    const { key, save, send } = await library();
    await save({ name: 'a', terms: ['Tributary'], replacements: { 'tribute airy': 'Tributary' } });
    await save({ name: 'b', terms: ['Ana'] });
    const form = new FormData();
    form.append('configuration', JSON.stringify({ patches: { vocabulary: ['Bob', '@b', '@a'] } }));
    form.append('file', new Blob(['RIFF']), 'a.wav');
    const path = `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TRANSCRIPTION_TEMPLATE}&persist=true&vocabulary=@a`;
    const { body } = await call(server.url, path, { method: 'POST', body: form, key });
    await streamEnd(server.url, body.streamId);
    expect(speech.calls.at(-1)?.fields.prompt).toBe('Bob, Ana, Tributary');
    const rerun = { from: 'transcriber', patches: { vocabulary: '@b' } };
    const again = `/stream-service/api/v1/streams/${body.streamId}/rerun`;
    expect((await call(server.url, again, { method: 'POST', body: rerun, key })).status).toBe(202);
    await streamEnd(server.url, body.streamId);
    expect(speech.calls.at(-1)?.fields.prompt).toBe('Ana');
    const unknown = await send({ vocabulary: '@c' });
    expect([unknown.status, unknown.body.message]).toEqual([404, 'No such vocabulary: "c".']);
    const refused = { method: 'POST', body: { patches: { vocabulary: '@c' } }, key };
    expect((await call(server.url, again, refused)).status).toBe(404);
  });

  test('that is longer than a server reads is not shortened silently', async () => {
    const { transcribed } = await library();
    const { metadata } = await transcribed({ vocabulary: 'Quarterly '.repeat(100) });
    expect(metadata.transcriber.warnings).toMatchObject([{ code: 'VOCABULARY_SHORTENED' }]);
  });
});
