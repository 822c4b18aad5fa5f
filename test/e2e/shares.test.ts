import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { silence } from '../speech.ts';
import { type Answer, call, streamEnd, TEXT_TEMPLATE, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

let speech: StubEngine;
let server: RunningServer;
beforeAll(async () => {
  speech = await startStubEngine();
  speech.always({
    body: {
      ...{ language: 'english', duration: 2, text: 'Hello <b>world</b>.' },
      segments: [{ start: 0, end: 1.5, text: ' Hello <b>world</b>.' }],
    },
  });
  server = await startServer({ environment: { TRANSCRIBER_URL: speech.url } });
});
afterAll(async () => {
  await server.kill();
  await speech.close();
});

const STREAMS = '/stream-service/api/v1/streams';

const transcribed = async (options: { readonly key?: string } = {}): Promise<string> => {
  const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, name: 'Talk & more', persist: 'true' };
  const { body } = await upload(server.url, query, silence(500), options);
  return (await streamEnd(server.url, body.streamId)).streamId;
};

const share = (streamId: string, body: object = {}, key?: string): Promise<Answer> =>
  call(server.url, `${STREAMS}/${streamId}/shares`, { method: 'POST', body, ...(key && { key }) });

/** As a stranger: without a credential. */
const open = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  call(server.url, new URL(url).pathname, { key: null, headers });

const newUser = async (): Promise<string> => {
  const body = { kind: 'api-key', role: 'user', label: 'someone' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

describe('a shared transcript', () => {
  test('is a page that reads without scripts, with downloads, and is counted', async () => {
    const streamId = await transcribed();
    const { status, body } = await share(streamId);
    expect(status).toBe(201);
    expect(body).toMatchObject({ media: true, expires: expect.any(String) });
    expect((Date.parse(body.expires) - Date.parse(body.createdTimestamp)) / 86_400_000).toBeCloseTo(30, 3);
    const page = await open(body.url);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<h1>Talk &amp; more</h1>');
    expect(page.text).toContain('Hello &lt;b&gt;world&lt;/b&gt;.');
    expect(page.text).not.toContain('<b>world');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-robots-tag')).toContain('noindex');
    expect(page.headers.get('set-cookie')).toBeNull();
    expect((await open(`${body.url}/TEXT`)).text).toContain('Hello <b>world</b>.');
    expect((await open(`${body.url}/SRT`)).text).toContain('-->');
    expect((await open(`${body.url}/VTT`)).text).toMatch(/^WEBVTT/);
    expect((await open(`${body.url}/DOCX`)).headers.get('content-disposition')).toContain('.docx');
    const part = await open(`${body.url}/media`, { range: 'bytes=0-3' });
    expect([part.status, part.text]).toEqual([206, 'RIFF']);
    await open(body.url);
    const { body: shares } = await call(server.url, `${STREAMS}/${streamId}/shares`);
    expect(shares).toEqual([{ ...body, url: undefined, views: 2, lastViewed: expect.any(String) }].map(({ url: _url, ...rest }) => rest));
  });

  test('shows the corrections and the names of speakers', async () => {
    const streamId = await transcribed();
    const { url } = (await share(streamId)).body;
    const path = `${STREAMS}/${streamId}/transcript`;
    const read = await call(server.url, path);
    const edits = [
      { op: 'text', utterance: 'u0', text: 'Good morning.' },
      { op: 'speaker', utterance: 'u0', speaker: 'A' },
      { op: 'name', speaker: 'A', name: 'Anna' },
    ];
    const edited = await call(server.url, path, {
      method: 'PATCH',
      body: { edits },
      headers: { 'If-Match': read.headers.get('etag') ?? '' },
    });
    expect(edited.status).toBe(200);
    const page = await open(url);
    expect(page.text).toContain('Good morning.');
    expect(page.text).toContain('Anna');
    expect(page.text).not.toContain('Hello');
  });

  test('is gone at once when the link is revoked or the data are deleted: the page of an unknown link', async () => {
    const streamId = await transcribed();
    const [first, second] = [(await share(streamId)).body, (await share(streamId, { media: false, expires: null })).body];
    expect(second.expires).toBeNull();
    expect((await open(`${second.url}/media`)).status).toBe(404);
    const unknown = await open(`${new URL(first.url).origin}/s/${'x'.repeat(64)}`);
    expect([unknown.status, (await open(`${new URL(first.url).origin}/s/none`)).text]).toEqual([404, unknown.text]);
    expect((await call(server.url, `${STREAMS}/${streamId}/shares/${first.id}`, { method: 'DELETE' })).status).toBe(204);
    expect([(await open(first.url)).status, (await open(first.url)).text]).toEqual([404, unknown.text]);
    expect((await open(`${first.url}/TEXT`)).text).toBe(unknown.text);
    expect((await open(second.url)).status).toBe(200);
    await call(server.url, `${STREAMS}/${streamId}`, { method: 'DELETE' });
    expect((await open(second.url)).text).toBe(unknown.text);
    expect((await share(streamId)).status).toBe(409);
  });

  test('belongs to the owner of the stream, and refuses a time that has passed', async () => {
    const streamId = await transcribed();
    const { body } = await share(streamId);
    const key = await newUser();
    expect((await share(streamId, {}, key)).status).toBe(404);
    expect((await call(server.url, `${STREAMS}/${streamId}/shares`, { key })).status).toBe(404);
    expect((await call(server.url, `${STREAMS}/${streamId}/shares/${body.id}`, { method: 'DELETE', key })).status).toBe(404);
    expect((await share(streamId, { expires: '2020-01-01T00:00:00Z' })).status).toBe(400);
    expect((await call(server.url, `${STREAMS}/${streamId}/shares/${crypto.randomUUID()}`, { method: 'DELETE' })).status).toBe(404);
  });

  test('of a stream without a transcription shows its texts', async () => {
    const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true', name: 'Notes' };
    const { body } = await upload(server.url, query, 'Anna called. Ben came.');
    await streamEnd(server.url, body.streamId);
    const page = await open((await share(body.streamId)).body.url);
    expect([page.status, page.text.includes('Anna called.')]).toEqual([200, true]);
  });

  test('leaves no token in the log of requests', async () => {
    const { url } = (await share(await transcribed())).body;
    await open(url);
    await open(`${url}/TEXT`);
    expect(server.log()).toContain('/s/***');
    expect(server.log()).not.toContain(new URL(url).pathname.split('/')[2]);
  });
});

test('a server with SHARING=off makes no link and opens none', async () => {
  const other = await startServer({ environment: { SHARING: 'off' } });
  try {
    const query = { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' };
    const { body } = await upload(other.url, query, 'Anna called.');
    await streamEnd(other.url, body.streamId);
    const refused = await call(other.url, `${STREAMS}/${body.streamId}/shares`, { method: 'POST', body: {} });
    expect([refused.status, refused.body.message]).toEqual([403, 'Sharing is switched off on this server (SHARING=off).']);
    expect((await call(other.url, `/s/${'x'.repeat(64)}`, { key: null })).status).toBe(404);
  } finally {
    await other.kill();
  }
});
