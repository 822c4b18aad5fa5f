import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { call, getStream, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from './server.ts';
import { chunk, creation, metadata, standing, TUS } from './tus.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ environment: { UPLOAD_MAX_BYTES: '3000000', MAX_CONCURRENT_STREAMS: '3', KEPT_BYTES_PER_USER: '8000000' } });
});
afterAll(() => server.kill());

const PING = `streamConfigurationTemplateId=${PING_TEMPLATE}&persist=true`;

/** What one user sees of a server. */
const userOf = (key: string) => {
  const auth = { authorization: `Basic ${key}` };
  return {
    key,
    create: (length: number, { query = PING, headers = {}, body }: Parameters<typeof creation>[2] = {}) =>
      creation(server.url, length, { query, headers: { ...auth, ...headers }, ...(body && { body }) }),
    send: (location: string, offset: number, bytes: Uint8Array) => chunk(server.url, location, offset, bytes, auth),
    offset: async (location: string) => (await standing(server.url, location, auth)).headers.get('upload-offset'),
    remove: (location: string) => fetch(server.url + location, { method: 'DELETE', headers: { ...auth, 'tus-resumable': '1.0.0' } }),
  };
};

const newUser = async () => {
  const body = { kind: 'api-key', label: 'a user', role: 'user' };
  return userOf((await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret);
};

const admin = userOf(ADMIN_KEY);

const locationOf = ({ headers }: Response): string => headers.get('location') ?? '';
const idOf = ({ headers }: Response): string => headers.get('tributary-stream-id') ?? '';
const statusOf = async (answering: Promise<Response>) => (await answering).status;
const messageOf = async (answering: Promise<Response>): Promise<[number, string]> => {
  const answer = await answering;
  const { message } = (await answer.json()) as { message: string };
  return [answer.status, message];
};

const sourceOf = async (streamId: string, key = ADMIN_KEY): Promise<Buffer> => {
  const path = `${server.url}/stream-service/api/v1/streams/${streamId}/data-source`;
  return Buffer.from(await (await fetch(path, { headers: { authorization: `Basic ${key}` } })).arrayBuffer());
};

describe('a resumable upload', () => {
  test('becomes a stream with its last byte, whose id is known from the creation on', async () => {
    const bytes = randomBytes(2_500_000);
    const created = await admin.create(bytes.length);
    const [location, streamId] = [locationOf(created), idOf(created)];
    expect([created.status, location]).toEqual([201, `${TUS}/${streamId}`]);
    const first = await admin.send(location, 0, bytes.subarray(0, 1_500_000));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '1500000']);
    expect((await getStream(server.url, streamId)).status).toBe(404);
    const last = await admin.send(location, 1_500_000, bytes.subarray(1_500_000));
    expect([last.status, last.headers.get('upload-offset'), idOf(last)]).toEqual([204, '2500000', streamId]);
    expect((await streamEnd(server.url, streamId)).state).toBe('COMPLETED');
    expect((await sourceOf(streamId)).equals(bytes)).toBe(true);
    // A client may ask again, because the last answer was lost.
    expect(await admin.offset(location)).toBe('2500000');
    expect(await statusOf(admin.remove(location))).toBe(409);
  });

  test('may bring its first bytes with the creation', async () => {
    const headers = { 'content-type': 'application/offset+octet-stream' };
    const created = await admin.create(9, { headers, body: Buffer.from('one ') });
    expect([created.status, created.headers.get('upload-offset')]).toEqual([201, '4']);
    expect(await statusOf(admin.send(locationOf(created), 4, Buffer.from('two!!')))).toBe(204);
    expect((await sourceOf(idOf(created))).toString()).toBe('one two!!');
  });

  test.each([
    ['the file name from the metadata', '', 'talk.mp3'],
    ['a fileName of the query before it', '&fileName=episode-1.mp3', 'episode-1.mp3'],
  ])('takes every parameter of an upload from the metadata or the query, and %s', async (_, more, fileName) => {
    const values = { filename: 'C:\\talks\\talk.mp3', filetype: 'audio/mpeg', label: 'Sales', persist: 'true' };
    const query = `streamConfigurationTemplateId=${PING_TEMPLATE}&name=A%20talk${more}`;
    const created = await admin.create(3, { query, headers: { 'upload-metadata': metadata(values) } });
    const location = locationOf(created);
    expect((await standing(server.url, location)).headers.get('upload-metadata')).toBe(metadata(values));
    await admin.send(location, 0, Buffer.from('abc'));
    const { body } = await getStream(server.url, idOf(created));
    expect([body.name, body.labels]).toEqual(['A talk', ['Sales']]);
    const source = await call(server.url, `/stream-service/api/v1/streams/${idOf(created)}/data-source`);
    expect(source.headers.get('content-disposition')).toContain(fileName);
  });

  test('keeps what has arrived when the connection breaks', async () => {
    const bytes = randomBytes(600_000);
    const created = await admin.create(bytes.length);
    const location = locationOf(created);
    await admin.send(location, 0, bytes.subarray(0, 300_000));
    const sending = request(server.url + location, {
      method: 'PATCH',
      headers: {
        authorization: `Basic ${ADMIN_KEY}`,
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'content-length': 300_000,
        'upload-offset': 300_000,
      },
    });
    const closed = new Promise((resolve) => sending.on('error', () => {}).on('close', resolve));
    await new Promise((resolve) => sending.write(bytes.subarray(300_000, 400_000), resolve));
    sending.destroy();
    await closed;
    // The server may read what was sent only after it has answered where the upload stands: then a client asks again.
    await eventually(async () => {
      const arrived = Number(await admin.offset(location));
      expect(arrived).toBeGreaterThanOrEqual(300_000);
      return (await statusOf(admin.send(location, arrived, bytes.subarray(arrived)))) === 204;
    });
    expect((await sourceOf(idOf(created))).equals(bytes)).toBe(true);
  });

  test('is refused at the creation, for all that needs no bytes', async () => {
    const user = await newUser();
    expect(await messageOf(user.create(0))).toEqual([400, 'The upload is empty. Upload-Length must be at least 1.']);
    expect(await statusOf(user.create(3_000_001))).toBe(413);
    expect(await statusOf(user.create(1, { query: '' }))).toBe(400);
    expect(await statusOf(user.create(1, { query: `${PING}&unknown=1` }))).toBe(400);
    expect(await statusOf(user.create(1, { query: 'streamConfigurationTemplateId=nothing' }))).toBe(404);
    expect(await statusOf(user.create(1, { headers: { 'upload-metadata': metadata({ keepFor: 'a while' }) } }))).toBe(400);
    expect(await statusOf(user.create(1, { headers: { 'upload-metadata': 'a b c' } }))).toBe(400);
    expect(await statusOf(user.create(1, { headers: { 'tus-resumable': '0.2.2' } }))).toBe(412);
    const { status } = await fetch(`${server.url}${TUS}?${PING}`, { method: 'POST', headers: { authorization: `Basic ${user.key}` } });
    expect(status).toBe(412);
  });

  test('takes its place among the running streams at the creation, and frees it by its deletion', async () => {
    const user = await newUser();
    const created = await Promise.all([1, 2, 3].map(() => user.create(5)));
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await statusOf(user.create(5))).toBe(429);
    const [first, second] = created.map(locationOf);
    await user.send(first ?? '', 0, Buffer.from('ab'));
    const removed = await user.remove(first ?? '');
    expect([removed.status, await statusOf(user.remove(first ?? ''))]).toEqual([204, 404]);
    expect(await statusOf(user.create(5))).toBe(201);
    // A full house does not keep an upload from its end.
    expect(await statusOf(user.send(second ?? '', 0, Buffer.from('abcde')))).toBe(204);
  });

  test('counts among the bytes that its user may keep', async () => {
    const user = await newUser();
    for (const _ of [1, 2]) expect(await statusOf(user.create(3_000_000))).toBe(201);
    expect(await statusOf(user.create(3_000_000))).toBe(429);
  });

  test('belongs to its user', async () => {
    const [alice, bob] = [await newUser(), await newUser()];
    const location = locationOf(await alice.create(3));
    expect(await statusOf(bob.send(location, 0, Buffer.from('abc')))).toBe(404);
    expect(await statusOf(standing(server.url, location, { authorization: `Basic ${bob.key}` }))).toBe(404);
    expect(await statusOf(bob.remove(location))).toBe(404);
    expect(await statusOf(alice.send(location, 0, Buffer.from('abc')))).toBe(204);
    expect(await statusOf(standing(server.url, location, { authorization: `Basic ${bob.key}` }))).toBe(404);
  });

  test('refuses bytes at another offset, and more than were announced', async () => {
    const location = locationOf(await admin.create(5));
    expect(await statusOf(admin.send(location, 1, Buffer.from('b')))).toBe(409);
    expect(await statusOf(admin.send(location, 0, Buffer.from('abcdef')))).toBe(413);
    expect(await admin.offset(location)).toBe('0');
    await admin.remove(location);
  });

  test('can be continued by POST with X-HTTP-Method-Override', async () => {
    const created = await admin.create(3);
    const headers = {
      ...{ authorization: `Basic ${ADMIN_KEY}`, 'tus-resumable': '1.0.0', 'upload-offset': '0' },
      ...{ 'content-type': 'application/offset+octet-stream', 'x-http-method-override': 'PATCH' },
    };
    const answer = await fetch(server.url + locationOf(created), { method: 'POST', headers, body: 'abc' });
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, '3']);
  });

  test('is read as JSON by GET', async () => {
    const created = await admin.create(3);
    const { body } = await call(server.url, locationOf(created));
    expect(body).toMatchObject({ streamId: idOf(created), offset: 0, length: 3 });
    expect(Date.parse(body.expires) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await admin.remove(locationOf(created));
  });

  test('has its protocol described by OPTIONS', async () => {
    const { status, headers } = await fetch(server.url + TUS, { method: 'OPTIONS' });
    expect([status, headers.get('tus-version'), headers.get('tus-max-size')]).toEqual([204, '1.0.0', '3000000']);
    expect(headers.get('tus-extension')).toBe('creation,creation-with-upload,termination,expiration');
  });
});

describe('a resumable upload under an Idempotency-Key', () => {
  const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

  test('is continued by a repeated creation', async () => {
    const key = keyed();
    const first = await admin.create(5, key);
    await admin.send(locationOf(first), 0, Buffer.from('ab'));
    const again = await admin.create(5, key);
    expect([again.status, locationOf(again)]).toEqual([201, locationOf(first)]);
    expect(await admin.offset(locationOf(again))).toBe('2');
    expect(await statusOf(admin.create(6, key))).toBe(409);
    const other = await admin.create(5, { ...key, query: `${PING}&name=other` });
    expect([other.status, await other.text()]).toEqual([409, expect.stringContaining('used with other parameters')]);
    await admin.send(locationOf(first), 2, Buffer.from('cde'));
    expect((await sourceOf(idOf(first))).toString()).toBe('abcde');
  });

  test('creates one stream, whichever way the bytes come again', async () => {
    const key = keyed();
    const first = await admin.create(5, key);
    await admin.send(locationOf(first), 0, Buffer.from('abcde'));
    const again = await admin.create(5, key);
    expect(idOf(again)).toBe(idOf(first));
    expect(await statusOf(admin.send(locationOf(again), 0, Buffer.from('abcde')))).toBe(204);
    const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };
    const whole = await upload(server.url, query, 'abcde', key);
    expect([whole.status, whole.body.streamId]).toEqual([200, idOf(first)]);
    expect((await sourceOf(idOf(first))).toString()).toBe('abcde');
  });

  test('is refused with other bytes', async () => {
    const key = keyed();
    const first = await admin.create(5, key);
    await admin.send(locationOf(first), 0, Buffer.from('abcde'));
    expect(await statusOf(admin.create(6, key))).toBe(409);
    const again = await admin.create(5, key);
    expect(await messageOf(admin.send(locationOf(again), 0, Buffer.from('abcdX')))).toEqual([
      422,
      'This Idempotency-Key was used with another body. Use a new key.',
    ]);
    // A client that asks again must not take the earlier stream for its own.
    expect(await statusOf(standing(server.url, locationOf(again)))).toBe(404);
    expect((await sourceOf(idOf(first))).toString()).toBe('abcde');
  });
});

describe('after a restart', () => {
  test('a killed server has every acknowledged byte, the place, and completes what had all its bytes', async () => {
    const { dataDir, kill, url } = await startServer({ environment: { MAX_CONCURRENT_STREAMS: '2' } });
    const bytes = randomBytes(400_000);
    const query = PING;
    const created = await creation(url, bytes.length, { query });
    const other = await creation(url, 5, { query });
    await chunk(url, locationOf(created), 0, bytes.subarray(0, 300_000));
    await kill();
    const again = await startServer({ dataDir, environment: { MAX_CONCURRENT_STREAMS: '2' } });
    expect(await statusOf(creation(again.url, 5, { query }))).toBe(429);
    expect((await standing(again.url, locationOf(created))).headers.get('upload-offset')).toBe('300000');
    expect(await statusOf(chunk(again.url, locationOf(created), 300_000, bytes.subarray(300_000)))).toBe(204);
    expect(await statusOf(chunk(again.url, locationOf(other), 0, Buffer.from('abcde')))).toBe(204);
    expect((await streamEnd(again.url, idOf(created))).state).toBe('COMPLETED');
  });

  test('an upload that is not continued expires, with its bytes and its place', async () => {
    const brief = await startServer({ environment: { MAX_CONCURRENT_STREAMS: '1', TUS_EXPIRE_S: '2' } });
    const created = await creation(brief.url, 5, { query: PING });
    expect(Date.parse(created.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now());
    await eventually(async () => expect(await statusOf(standing(brief.url, locationOf(created)))).toBe(404));
    // Its place is free a moment later.
    await eventually(async () => expect(await statusOf(creation(brief.url, 5, { query: PING }))).toBe(201));
  });
});
