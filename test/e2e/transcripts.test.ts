import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { chatAnswer, heardWords } from '../fakes/engineServer.ts';
import { unzipped } from '../unzipped.ts';
import { wavOf } from '../wav.ts';
import { type Answer, type Call, call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { ADMIN_KEY } from './server.ts';
import { serverWithEngines } from './serverWithEngines.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';

const { server, speech, chat } = serverWithEngines();
beforeEach(() => {
  chat.reset();
  speech.always({ body: HEARD });
});

const WAV = wavOf(Buffer.alloc(3_200, 1));

const HEARD = {
  ...{ language: 'english', duration: 90, text: 'Hello there. Good to sea you.' },
  segments: [
    { start: 0, end: 1.5, text: ' Hello there.', speaker: 'SPEAKER_01' },
    { start: 2, end: 4, text: ' Good to sea you.', speaker: 'SPEAKER_00' },
  ],
  words: heardWords(['Hello', 0, 0.5], ['there', 0.6, 1.5], ['Good', 2, 2.3], ['to', 2.3, 2.4], ['sea', 2.5, 2.9], ['you', 3, 4]),
};

/** Of another key than the first administrator's. */
const newKey = async (): Promise<string> => {
  const body = { kind: 'api-key', label: 'a user', role: 'user' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

/** A transcribed conversation of two speakers, and its requests. */
const conversation = async (key?: string, more: Readonly<Record<string, string>> = {}) => {
  const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, persist: 'true', speakersNumber: '2', ...more };
  const options: Call = key === undefined ? {} : { key };
  const { body: stream } = await upload(server.url, query, WAV, options);
  const streamId: string = stream.streamId;
  await streamEnd(server.url, streamId);
  const path = `/stream-service/api/v1/streams/${streamId}/transcript`;
  const read = (parameters = ''): Promise<Answer> => call(server.url, `${path}${parameters}`, options);
  const etag = async (): Promise<string> => (await read()).headers.get('etag') ?? '';
  const patch = async (edits: readonly object[], ifMatch?: string): Promise<Answer> =>
    call(server.url, path, { ...options, method: 'PATCH', body: { edits }, headers: { 'if-match': ifMatch ?? (await etag()) } });
  const undo = async (): Promise<Answer> =>
    call(server.url, `${path}/undo`, { ...options, method: 'POST', headers: { 'if-match': await etag() } });
  return { streamId, path, read, etag, patch, undo, edits: (parameters = '') => read(`/edits${parameters}`) };
};

/** Runs a stream again and waits for its end. */
const rerun = async (streamId: string, body: object): Promise<void> => {
  await call(server.url, `/stream-service/api/v1/streams/${streamId}/rerun`, { method: 'POST', body });
  expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
};

const texts = ({ body }: Answer): string[] => body.utterances.map(({ text }: { text: string }) => text);

describe('the transcript of a stream', () => {
  test('shows the words of the machine, with speakers and times', async () => {
    const { streamId, read } = await conversation();
    const { status, headers, body } = await read();
    expect([status, headers.get('etag')]).toEqual([200, '"transcript-1-0"']);
    expect(body).toMatchObject({
      ...{ streamId, attempt: 1, revision: 0, language: 'en', duration: 90_000 },
      speakers: [
        { id: 'A', name: null },
        { id: 'B', name: null },
      ],
      utterances: [
        { id: 'u0', speaker: 'A', channel: null, start: 0, end: 1_500, text: 'Hello there.', edited: false },
        { id: 'u1', speaker: 'B', start: 2_000, end: 4_000, text: 'Good to sea you.' },
      ],
    });
    expect(body.utterances[1].words[2]).toEqual({ word: ' sea', start: 2_500, end: 2_900, confidence: null });
  });

  test('is corrected, shows earlier revisions, and lists who did what', async () => {
    const { read, patch, edits } = await conversation();
    const changes = [
      { op: 'text', utterance: 'u1', text: 'Good to see you.' },
      { op: 'name', speaker: 'A', name: 'Anna' },
    ];
    const { status, headers, body } = await patch(changes);
    expect([status, headers.get('etag'), body.revision]).toEqual([200, '"transcript-1-1"', 1]);
    const now = await read();
    expect(now.body).toEqual(body);
    expect(now.body.speakers).toEqual([
      { id: 'A', name: 'Anna' },
      { id: 'B', name: null },
    ]);
    expect(now.body.utterances[1]).toMatchObject({ text: 'Good to see you.', edited: true });
    expect(now.body.utterances[1].words[2]).toEqual({ word: ' see', start: 2_400, end: 3_000, confidence: null });
    expect(texts(await read('?revision=0'))).toEqual(['Hello there.', 'Good to sea you.']);
    expect((await read('?revision=2')).status).toBe(404);
    const { content } = (await edits()).body;
    expect(content).toEqual([
      { revision: 1, time: expect.any(String), actor: expect.any(String), actorName: expect.any(String), edits: changes, undone: false },
    ]);
    expect((await read(`?asOf=${content[0].time}`)).body.revision).toBe(1);
    expect((await read(`?asOf=${new Date(Date.parse(content[0].time) - 1).toISOString()}`)).body.revision).toBe(0);
    expect((await read('?asOf=2020-01-01')).status).toBe(404);
  });

  test('shows auditors what each correction changed, until the data are deleted', async () => {
    const { streamId, patch, undo } = await conversation();
    await patch([
      { op: 'text', utterance: 'u1', text: 'Good to see you.' },
      { op: 'name', speaker: 'B', name: 'Ben' },
    ]);
    await patch([{ op: 'merge', utterance: 'u0' }]);
    await undo();
    const events = '/audit-service/api/v1/events';
    const { content } = (await call(server.url, `${events}?eventStream=transcript-${streamId}&order=asc`)).body;
    const corrections = async (n: number) => (await call(server.url, `${events}/${content[n].id}`)).body.corrections;
    expect(await corrections(0)).toMatchObject({
      changed: 1,
      utterances: [{ utterance: 'u1', start: 2000, before: { text: 'Good to sea you.' }, after: { text: 'Good to see you.' } }],
      speakers: [{ speaker: 'B', before: null, after: 'Ben' }],
    });
    const [first, second] = (await corrections(1)).utterances;
    expect(first).toMatchObject({ utterance: 'u0', before: { text: 'Hello there.' }, after: { text: 'Hello there. Good to see you.' } });
    expect(second).toMatchObject({ utterance: 'u1', before: { speaker: expect.stringMatching(/^(Ben|Speaker A)$/) }, after: null });
    expect(await corrections(2)).toMatchObject({ changed: 2, speakers: [] });
    const { content: others } = (await call(server.url, `${events}?eventStream=stream-${streamId}`)).body;
    expect((await call(server.url, `${events}/${others[0].id}`)).body.corrections).toBeNull();
    await call(server.url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE' });
    expect(await corrections(0)).toBeNull();
  });

  test('refuses an edit without If-Match, and after another one, and keeps all or nothing', async () => {
    const { path, read, patch } = await conversation();
    const edits = [{ op: 'merge', utterance: 'u0' }];
    expect((await call(server.url, path, { method: 'PATCH', body: { edits } })).status).toBe(428);
    expect((await patch(edits, '"transcript-1-7"')).status).toBe(412);
    const wrong = await patch([...edits, { op: 'text', utterance: 'u1', text: 'x' }]);
    expect([wrong.status, wrong.body.message]).toEqual([400, 'edits[1]: no utterance has the id "u1".']);
    expect((await read()).body.revision).toBe(0);
    const [first, second] = await Promise.all([patch(edits, '"transcript-1-0"'), patch(edits, '"transcript-1-0"')]);
    expect([first.status, second.status].sort()).toEqual([200, 412]);
  });

  test('replaces a text everywhere and says how often; nothing found is no revision', async () => {
    const { patch } = await conversation();
    const nothing = await patch([{ op: 'replace', find: 'nowhere', with: 'x' }]);
    expect([nothing.status, nothing.headers.get('tributary-replaced'), nothing.body.revision]).toEqual([200, '0', 0]);
    const found = await patch([{ op: 'replace', find: 'THERE', with: 'everyone' }]);
    expect([found.headers.get('tributary-replaced'), texts(found)[0], found.body.revision]).toEqual(['1', 'Hello everyone.', 1]);
  });

  test('undoes edits one after the other, until none is left', async () => {
    const { read, patch, undo, edits } = await conversation();
    const before = await read();
    await patch([{ op: 'text', utterance: 'u0', text: 'Hi.' }]);
    await patch([{ op: 'split', utterance: 'u1', word: 2 }]);
    const once = await undo();
    expect([once.status, once.body.revision, texts(once)]).toEqual([200, 3, ['Hi.', 'Good to sea you.']]);
    const twice = await undo();
    expect({ ...twice.body, revision: 0 }).toEqual(before.body);
    expect((await undo()).status).toBe(409);
    expect((await edits('?size=1')).body).toMatchObject({ totalElements: 2, content: [{ revision: 2, undone: true }] });
  });

  test('is what exports show, with names; edited=false gives the machine’s, and EVENTS always does', async () => {
    const { streamId, patch } = await conversation();
    await patch([
      { op: 'text', utterance: 'u1', text: 'Good to see you.' },
      { op: 'name', speaker: 'A', name: 'Anna' },
    ]);
    const exported = (format: string, query = '') =>
      call(server.url, `/export-service/api/v1/export/${format}?streams=${streamId}${query}`);
    const { body } = await exported('JSON');
    expect(body).toMatchObject({ transcription: { text: 'Hello there. Good to see you.' }, speakerNames: { A: 'Anna' } });
    expect(body.utterances.map(({ speakerIds }: { speakerIds: string[] }) => speakerIds)).toEqual([['A'], ['B']]);
    expect(body.utterances[0]).not.toHaveProperty('spokenBy');
    expect((await exported('TEXT')).text).toBe('Anna: Hello there.\nSpeaker B: Good to see you.');
    expect((await exported('SRT')).text).toContain('\nAnna: Hello there.\n');
    expect((await exported('VTT')).text).toContain('\n<v Anna>Hello there.\n');
    expect((await exported('CSV')).text).toContain('\r\n0,1500,Anna,Hello there.,');
    expect((await exported('MD')).text).toContain('**Anna**');
    expect((await exported('TEXT', '&edited=false')).text).toBe('Speaker A: Hello there.\nSpeaker B: Good to sea you.');
    expect((await exported('JSON', '&edited=false')).body).not.toHaveProperty('speakerNames');
    expect((await exported('EVENTS')).text).not.toContain('see you');
    const zip = await fetch(`${server.url}/export-service/api/v1/export/ZIP?streams=${streamId}&formats=TEXT`, {
      headers: { authorization: `Basic ${ADMIN_KEY}` },
    });
    expect([...unzipped(await zip.bytes()).values()].map(String)).toEqual(['Anna: Hello there.\nSpeaker B: Good to see you.']);
  });

  test('is what a rerun from a later stage reads, and stays that of its attempt', async () => {
    chat.next(chatAnswer('First.'));
    const { streamId, patch, read } = await conversation(undefined, { summary: 'true' });
    await patch([
      { op: 'text', utterance: 'u1', text: 'Good to see you.' },
      { op: 'name', speaker: 'A', name: 'Anna' },
    ]);
    chat.next(chatAnswer('Second.'));
    await rerun(streamId, { from: 'llm' });
    expect(JSON.stringify(chat.calls.at(-1)?.json)).toContain('Anna: Hello there.\\nSpeaker B: Good to see you.');
    expect((await read()).body).toMatchObject({ attempt: 1, revision: 1 });
    expect((await read('?attempt=2')).headers.get('etag')).toBe('"transcript-1-1"');
    const { body } = await call(server.url, `/export-service/api/v1/export/JSON?streams=${streamId}`);
    expect(body).toMatchObject({ transcription: { text: 'Hello there. Good to see you.' }, summary: { content: 'Second.' } });
  });

  test('begins again with a rerun of the transcription, which keeps the names', async () => {
    const { streamId, patch, read, edits } = await conversation();
    await patch([
      { op: 'text', utterance: 'u1', text: 'Good to see you.' },
      { op: 'name', speaker: 'A', name: 'Anna' },
    ]);
    await rerun(streamId, {});
    const now = await read();
    expect(now.headers.get('etag')).toBe('"transcript-2-0"');
    expect([texts(now)[1], now.body.speakers[0]]).toEqual(['Good to sea you.', { id: 'A', name: 'Anna' }]);
    expect((await edits()).body.totalElements).toBe(0);
    expect(texts(await read('?attempt=1'))[1]).toBe('Good to see you.');
    expect((await edits('?attempt=1')).body.totalElements).toBe(1);
    expect((await patch([{ op: 'merge', utterance: 'u0' }])).headers.get('etag')).toBe('"transcript-2-1"');
    const text = (query: string) => call(server.url, `/export-service/api/v1/export/TEXT?streams=${streamId}${query}`);
    expect((await text('')).text).toBe('Anna: Hello there. Good to sea you.');
    expect((await text('&attempt=1')).text).toContain('Good to see you.');
  });

  test('is only for its owner', async () => {
    const { read, streamId, etag } = await conversation(await newKey());
    expect((await read()).status).toBe(200);
    const other = await newKey();
    const path = `/stream-service/api/v1/streams/${streamId}/transcript`;
    expect((await call(server.url, path, { key: other })).status).toBe(404);
    const headers = { 'if-match': await etag() };
    const body = { edits: [{ op: 'merge', utterance: 'u0' }] };
    expect((await call(server.url, path, { method: 'PATCH', body, headers, key: other })).status).toBe(404);
    expect((await call(server.url, `${path}/edits`, { key: other })).status).toBe(404);
  });

  test('is 404 without a transcription', async () => {
    const { body } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'x');
    await streamEnd(server.url, body.streamId);
    const { status, body: problem } = await call(server.url, `/stream-service/api/v1/streams/${body.streamId}/transcript`);
    expect([status, problem.message]).toEqual([404, 'This stream has no transcription, so it has no transcript.']);
  });

  test('is forgotten with its owner, like the names in it', async () => {
    const body = { kind: 'api-key', label: 'a user', role: 'user' };
    const { secret, subject } = (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body;
    const { streamId, patch } = await conversation(secret);
    const planted = 'PLANTED-7c1e';
    await patch([{ op: 'name', speaker: 'A', name: planted }]);
    expect((await call(server.url, `/audit-service/api/v1/subjects/${subject}`, { method: 'DELETE' })).status).toBe(200);
    const path = `/stream-service/api/v1/streams/${streamId}/transcript`;
    expect((await call(server.url, path)).status).toBe(410);
    expect((await call(server.url, `${path}/edits`)).body.content).toMatchObject([{ revision: 1, edits: null }]);
    const audited = await call(server.url, '/audit-service/api/v1/events', { headers: { accept: 'application/x-ndjson' } });
    expect(audited.text).toContain('TranscriptEdited');
    expect(audited.text).not.toContain(planted);
    const state = await call(server.url, `/audit-service/api/v1/event-streams/transcript-${streamId}`);
    expect(state.body.state.attempts).toMatchObject({ 1: [{ kind: 'edited', edits: null }] });
    if (isClusterForm) return;
    const holding = (await readdir(server.dataDir, { recursive: true, withFileTypes: true })).filter(
      (file) => file.isFile() && readFileSync(join(file.parentPath, file.name)).includes(planted),
    );
    expect(holding).toEqual([]);
  });

  test('is gone with its data: 410, and its edits have no words', async () => {
    const { streamId, read, patch, edits } = await conversation();
    await patch([{ op: 'text', utterance: 'u0', text: 'Hi.' }]);
    await call(server.url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE' });
    expect((await read()).status).toBe(410);
    expect((await edits()).body.content).toEqual([
      { revision: 1, time: expect.any(String), actor: expect.any(String), actorName: expect.any(String), edits: null, undone: false },
    ]);
  });
});
