import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { silence } from '../speech.ts';
import { call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { slowUpload } from './live.ts';
import { type RunningServer, startServer } from './server.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.kill());

const finished = async (body: string | Uint8Array): Promise<string> => {
  const { body: stream } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, body);
  await streamEnd(server.url, stream.streamId);
  return stream.streamId;
};

const strangersKey = async (): Promise<string> => {
  const body = { kind: 'api-key', role: 'auditor', label: 'Somebody else' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

const source = (streamId: string, headers: Record<string, string> = {}, key?: string) =>
  call(server.url, `/stream-service/api/v1/streams/${streamId}/data-source`, { headers, ...(key === undefined ? {} : { key }) });

describe('the bytes of an upload', () => {
  test('can be read by their owner, and by no one else', async () => {
    const streamId = await finished('hello, you there');
    const answer = await source(streamId);
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, 'hello, you there', 'application/octet-stream']);
    expect(answer.headers.get('etag')).toBe(`"${createHash('sha256').update('hello, you there').digest('hex')}"`);
    expect((await source(streamId, {}, await strangersKey())).status).toBe(404);
  });

  test('have an audio content type if they are a recording', async () => {
    const streamId = await finished(silence(10));
    expect((await source(streamId)).headers.get('content-type')).toBe('audio/wav');
  });

  test('have the file name that they came with, or else the name of the stream', async () => {
    const nameOf = async (query: Record<string, string>, body: string | Uint8Array | FormData) => {
      const parameters = new URLSearchParams({ streamConfigurationTemplateId: PING_TEMPLATE, ...query });
      const answer = await call(server.url, `/http-gateway/api/v1/upload?${parameters}`, { method: 'POST', body });
      return (await source(answer.body.streamId)).headers.get('content-disposition');
    };
    const form = new FormData();
    form.append('configuration', new Blob(['{}'], { type: 'application/json' }));
    form.append('file', new File([silence(10)], 'ședință.wav'));
    expect(await nameOf({}, form)).toBe(`attachment; filename="_edin__.wav"; filename*=UTF-8''%C8%99edin%C8%9B%C4%83.wav`);
    const quoted = new FormData();
    quoted.append('file', new File([silence(10)], 'the "one".wav'));
    expect(await nameOf({}, quoted)).toContain('filename="the _one_.wav"');
    expect(await nameOf({ fileName: 'episode-1.mp3' }, 'bytes')).toBe(
      `attachment; filename="episode-1.mp3"; filename*=UTF-8''episode-1.mp3`,
    );
    expect(await nameOf({ fileName: '../a/b.mp3' }, form)).toContain('filename="_a_b.mp3"');
    expect(await nameOf({ name: 'Call' }, silence(10))).toContain('filename="Call.wav"');
    expect(await nameOf({ name: 'Call' }, 'bytes')).toContain('filename="Call.bin"');
  });

  test('can be read in ranges, also across frames', async () => {
    const bytes = Buffer.alloc(2_500_000, 'abcdefghij');
    const streamId = await finished(bytes);
    const part = await source(streamId, { range: 'bytes=1048570-2097160' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1048570-2097160/2500000']);
    expect(part.text === bytes.subarray(1_048_570, 2_097_161).toString()).toBe(true);
    expect((await source(streamId, { range: 'bytes=-4' })).text).toBe('ghij');
    const beyond = await source(streamId, { range: 'bytes=2500000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */2500000']);
    expect((await source(streamId, { range: 'bytes=0-3', 'if-range': '"another"' })).status).toBe(200);
  });

  test('are 409 during the upload, and 404 once they are deleted', async () => {
    const id = randomUUID();
    const open = slowUpload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE, id });
    open.send('first');
    await eventually(async () => expect((await source(id)).status).toBe(409));
    open.end();
    await open.answered;
    await streamEnd(server.url, id);
    expect((await source(id)).text).toBe('first');
    await call(server.url, `/stream-service/api/v1/streams/${id}`, { method: 'DELETE' });
    expect(await source(id)).toMatchObject({ status: 404, body: { internalErrorName: 'GENERAL_NOT_FOUND_ERROR' } });
  });
});

describe('the events of a stream', () => {
  test('are shown in order to their owner, and to no one else', async () => {
    const streamId = await finished('hello');
    const path = `/stream-service/api/v1/streams/${streamId}/events`;
    const { status, body } = await call(server.url, path);
    expect(status).toBe(200);
    const types: string[] = body.content.map(({ type }: { type: string }) => type);
    expect([types[0], types.at(-1)]).toEqual(['StreamCreated', 'StreamCompleted']);
    const uploaded = types.indexOf('UploadCompleted');
    expect(body.content[uploaded]).toMatchObject({
      revision: String(uploaded),
      data: { bytes: 5 },
      time: expect.stringMatching(/Z$/),
      actor: expect.any(String),
    });
    expect((await call(server.url, path, { key: await strangersKey() })).status).toBe(404);
  });
});
