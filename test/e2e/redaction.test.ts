import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { chatAnswer, heardWords } from '../fakes/engineServer.ts';
import { call, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { serverWithEngines } from './serverWithEngines.ts';

const STREAMS = '/stream-service/api/v1/streams';
const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const CARD = '4111 1111 1111 1111';
const MAIL = 'anna.smith@example.com';
/** Bytes of the upload, which is not decoded by the stub. */
const AUDIO = `RIFF the audio says ${CARD}`;

const HELLO = {
  ...{ language: 'english', duration: 9, text: `Write to ${MAIL}. My card is ${CARD}, thank you.` },
  segments: [
    { start: 0, end: 2, text: ` Write to ${MAIL}.`, speaker: 'SPEAKER_00' },
    { start: 3, end: 9, text: ` My card is ${CARD}, thank you.`, speaker: 'SPEAKER_01' },
  ],
  words: heardWords(
    ...([
      ['Write', 0, 0.4],
      ['to', 0.4, 0.5],
      [MAIL, 0.6, 2],
      ['My', 3, 3.2],
      ['card', 3.2, 3.6],
      ['is', 3.6, 3.8],
    ] as const),
    ...([
      ['4111', 4, 5],
      ['1111', 5, 6],
      ['1111', 6, 7],
      ['1111', 7, 7.5],
      ['thank', 8, 8.3],
      ['you', 8.4, 9],
    ] as const),
  ),
};

const { server, speech, chat } = serverWithEngines({ ENGINE_RETRY_S: '0' });
beforeEach(() => {
  speech.reset();
  chat.reset();
  speech.always({ body: HELLO });
  chat.always(chatAnswer('They talk.', { prompt: 12, completion: 3 }));
});

const send = (query: string, template = TRANSCRIPTION_TEMPLATE) =>
  call(server.url, `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${template}&persist=true&${query}`, {
    method: 'POST',
    body: AUDIO,
    headers: { 'content-type': 'application/octet-stream' },
  });
const run = async (query: string, template = TRANSCRIPTION_TEMPLATE) => {
  const { status, body } = await send(query, template);
  expect([status, body]).toEqual([200, expect.objectContaining({ streamId: expect.any(String) })]);
  return { streamId: body.streamId as string, stream: await streamEnd(server.url, body.streamId) };
};
const exported = async (streamId: string, format = 'JSON') =>
  call(server.url, `/export-service/api/v1/export/${format}?streams=${streamId}`);

/** Files below a folder that hold a text. */
const holding = (directory: string, text: string): string[] =>
  readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const about = statSync(path, { throwIfNoEntry: false });
    if (!about) return [];
    if (about.isDirectory()) return holding(path, text);
    return about.isFile() && readFileSync(path).includes(text) ? [path] : [];
  });

describe('redaction', () => {
  test('replaces what is asked for across words, keeps times, and reaches the language model', async () => {
    const { streamId, stream } = await run('redact=email,card&summary=true');
    expect(stream.state).toBe('COMPLETED');
    const { transcription } = (await exported(streamId)).body;
    expect(transcription.text).toBe('Write to [EMAIL]. My card is [CARD], thank you.');
    expect(transcription.words.map(({ word, start, end }: { word: string; start: number; end: number }) => [word, start, end])).toEqual([
      ...[
        ['Write', 0, 400],
        [' to', 400, 500],
        [' [EMAIL].', 600, 2000],
        [' My', 3000, 3200],
        [' card', 3200, 3600],
        [' is', 3600, 3800],
      ],
      ...[
        [' [CARD],', 4000, 7500],
        [' thank', 8000, 8300],
        [' you.', 8400, 9000],
      ],
    ]);
    expect((await exported(streamId, 'TEXT')).text).toContain('My card is [CARD]');
    const asked = JSON.stringify(chat.calls.map(({ json }) => json));
    expect(asked).toContain('[CARD]');
    expect(asked).not.toContain('4111');
  });

  test('is the last item of the chain, between the diarization and the language model', async () => {
    const { stream } = await run('redact=card&processors/2/properties/summary/enabled=true', DIARIZATION_TEMPLATE);
    const { processors, dataSinks } = stream.configuration;
    expect(processors.map(({ id }: { id: string }) => id)).toEqual(['transcriber', 'diarization', 'llm', 'redaction']);
    const [, diarization, llm, redaction] = processors;
    expect([redaction.source.topic, llm.source.topic]).toEqual([diarization.destination.topic, redaction.destination.topic]);
    expect(Object.keys(dataSinks).sort()).toEqual(['llm', 'redaction']);
    expect(llm.properties.summary.enabled).toBe(true);
    const without = await run('');
    expect(without.stream.configuration.processors.map(({ id }: { id: string }) => id)).toEqual(['transcriber', 'llm']);
  });

  test('keeps speakers', async () => {
    const { streamId } = await run('redact=card', DIARIZATION_TEMPLATE);
    const { transcription } = (await exported(streamId)).body;
    expect(transcription.text).toContain('[CARD]');
    expect(JSON.stringify(transcription)).toContain('"speakers":["B"]');
  });

  test('leaves nothing of what came before it once the stream has ended', async () => {
    const { streamId } = await run('redact=email,card');
    const of = (path: string) => call(server.url, `${STREAMS}/${streamId}/${path}`);
    expect((await of('data-source')).status).toBe(410);
    const stage = (id: string, side: string) => of(`attempts/1/stages/${id}/${side}`);
    expect((await stage('transcriber', 'input')).status).toBe(410);
    expect((await stage('transcriber', 'output')).status).toBe(410);
    expect((await stage('redaction', 'input')).status).toBe(410);
    expect((await stage('redaction', 'output')).text).toContain('[CARD]');
    for (const format of ['JSON', 'EVENTS', 'CSV', 'SRT']) {
      const { text } = await exported(streamId, format);
      expect([format, text.includes(CARD), text.includes(MAIL)]).toEqual([format, false, false]);
    }
    expect((await of('transcript')).body.utterances.map(({ text }: { text: string }) => text)).toEqual([
      'Write to [EMAIL].',
      'My card is [CARD], thank you.',
    ]);
    const rerun = (from: string) => call(server.url, `${STREAMS}/${streamId}/rerun`, { method: 'POST', body: { from } });
    expect((await rerun('transcriber')).status).toBe(410);
    expect((await rerun('redaction')).status).toBe(410);
    expect((await rerun('llm')).status).toBe(202);
    await streamEnd(server.url, streamId);
  });

  test.skipIf(isClusterForm)('leaves no byte of it in any file', async () => {
    const secret = `secret-${Math.random().toString(36).slice(2)}`;
    const large = 'x'.repeat(200_000);
    speech.always({ body: { language: 'english', duration: 3, text: `My card is ${CARD}, ${secret}.` } });
    for (const body of [`RIFF ${secret}`, `RIFF ${large} ${secret}`]) {
      const query = {
        streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE,
        redact: 'custom',
        redactPatterns: 'secret-[a-z0-9]+',
        persist: 'true',
      };
      const { body: stream } = await upload(server.url, query, body);
      await streamEnd(server.url, stream.streamId);
      expect((await exported(stream.streamId, 'TEXT')).text).toContain(`My card is ${CARD}, [CUSTOM].`);
      await eventually(() => expect(holding(server.dataDir, secret)).toEqual([]));
    }
    await run('redact=card&keepMedia=true');
    expect(holding(server.dataDir, AUDIO)).not.toEqual([]);
  });

  test('of a stream that fails leaves nothing either', async () => {
    chat.always({ status: 400, body: { error: 'no' } });
    const { streamId, stream } = await run('redact=card&summary=true');
    expect(stream.state).toBe('FAILED');
    expect((await call(server.url, `${STREAMS}/${streamId}/data-source`)).status).toBe(410);
    expect((await exported(streamId, 'TEXT')).text).toContain('[CARD]');
  });

  test('keeps the upload with keepMedia=true, so that the stream can run again', async () => {
    const { streamId } = await run('redact=card&keepMedia=true');
    const source = () => call(server.url, `${STREAMS}/${streamId}/data-source`);
    expect((await source()).text).toBe(AUDIO);
    const body = { from: 'transcriber', patches: { redact: ['email'], keepMedia: false } };
    expect((await call(server.url, `${STREAMS}/${streamId}/rerun`, { method: 'POST', body })).status).toBe(202);
    await streamEnd(server.url, streamId);
    expect((await exported(streamId, 'TEXT')).text).toContain(`Write to [EMAIL]. My card is ${CARD}`);
    expect((await source()).status).toBe(410);
  });

  test.each([
    ['an unknown kind', 'redact=email,shoe'],
    ['no kind', 'redact='],
    ['only a region', 'redactRegion=DE'],
    ['custom without a pattern', 'redact=custom'],
    ['a pattern with a back-reference', `redactPatterns=${encodeURIComponent('(a)\\1')}`],
    ['a pattern with a look-ahead', `redactPatterns=${encodeURIComponent('a(?=b)')}`],
    ['a country without phones', 'redact=phone&redactRegion=XX'],
  ])('refuses %s', async (_, query) => {
    const { status, body } = await send(query);
    expect([status, body.message]).toEqual([400, expect.any(String)]);
  });

  test('reads numbers without a country code as those of the region', async () => {
    speech.always({ body: { language: 'english', duration: 3, text: 'Call 0151 23456789, or 030 901820.' } });
    expect((await exported((await run('redact=phone')).streamId, 'TEXT')).text).not.toContain('[PHONE]');
    const { streamId } = await run('redact=phone&redactRegion=de');
    expect((await exported(streamId, 'TEXT')).text).toContain('Call [PHONE], or [PHONE].');
  });

  test('is in the template that is shown with the patches of an upload', async () => {
    const path = `/stream-configuration-service/api/v1/stream-configuration-templates/${TRANSCRIPTION_TEMPLATE}`;
    const patch = JSON.stringify({ op: 'replace', path: 'redact', value: ['email'] });
    const { body } = await call(server.url, path, { headers: { 'X-Template-Patch': patch } });
    expect(body.processors.at(-1)).toMatchObject({ id: 'redaction', properties: { kinds: ['email'] } });
  });

  test('is refused where no transcription is', async () => {
    expect((await send('redact=email', TEXT_TEMPLATE)).status).toBe(400);
    expect((await send('redact=email', 'ping')).status).toBe(400);
  });
});
