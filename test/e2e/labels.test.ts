import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, getStream, PING_TEMPLATE, upload } from './client.ts';
import { type RunningServer, startServer } from './server.ts';

const STREAMS = '/stream-service/api/v1/streams';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.kill());

const newKey = async (): Promise<string> => {
  const body = { kind: 'api-key', label: 'a user', role: 'user' };
  return (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body })).body.secret;
};

const library = async () => {
  const key = await newKey();
  const labeled = async (query: string, name: string): Promise<string> => {
    const path = `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE}&name=${name}&${query}`;
    const { status, body } = await call(server.url, path, { method: 'POST', body: Buffer.from('x'), key });
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.streamId;
  };
  const names = async (query: string) =>
    (await call(server.url, `${STREAMS}?${query}`, { key })).body.content.map(({ name }: { name: string }) => name).sort();
  const relabel = (body: object) => call(server.url, `${STREAMS}/labels`, { method: 'POST', body, key });
  const labelsOf = async (id: string) => (await call(server.url, `${STREAMS}/${id}`, { key })).body.labels;
  const labels = async () => (await call(server.url, '/stream-service/api/v1/labels', { key })).body;
  return { key, labeled, names, relabel, labelsOf, labels };
};

describe('labels', () => {
  test('of an upload are trimmed, compared without case, and spelled as the user first wrote them', async () => {
    const { labeled, names, labelsOf, labels } = await library();
    const first = await labeled('label=Sales&label=%20Berlin%20&labels=sales,Q1', 'a');
    expect(await labelsOf(first)).toEqual(['Sales', 'Berlin', 'Q1']);
    const second = await labeled('label=SALES', 'b');
    expect(await labelsOf(second)).toEqual(['Sales']);
    await labeled('', 'c');
    expect(await names('label=sales')).toEqual(['a', 'b']);
    expect(await names('label=sales&label=berlin')).toEqual(['a']);
    expect(await names('label=rome')).toEqual([]);
    expect(await labels()).toEqual([
      { label: 'Sales', streams: 2 },
      { label: 'Berlin', streams: 1 },
      { label: 'Q1', streams: 1 },
    ]);
  });

  test('are replaced by PATCH, without a change of the name', async () => {
    const { key, labeled, labelsOf, names } = await library();
    const id = await labeled('label=Sales', 'a');
    const { status, body } = await call(server.url, `${STREAMS}/${id}`, { method: 'PATCH', body: { labels: ['sales', 'New'] }, key });
    expect([status, body.name, body.labels]).toEqual([200, 'a', ['Sales', 'New']]);
    await call(server.url, `${STREAMS}/${id}`, { method: 'PATCH', body: { labels: [] }, key });
    expect(await labelsOf(id)).toEqual([]);
    expect(await names('label=sales')).toEqual([]);
  });

  test('of many streams are added and removed by a filter or by ids', async () => {
    const { labeled, labelsOf, relabel } = await library();
    const [a, b] = [await labeled('label=old', 'a'), await labeled('label=old', 'b')];
    const c = await labeled('', 'c');
    expect((await relabel({ filter: { label: ['OLD'] }, add: ['New'], remove: ['old'] })).body).toEqual({ matched: 2, changed: 2 });
    expect([await labelsOf(a), await labelsOf(b), await labelsOf(c)]).toEqual([['New'], ['New'], []]);
    expect((await relabel({ streams: [a, c], add: ['new'] })).body).toEqual({ matched: 2, changed: 1 });
    expect(await labelsOf(c)).toEqual(['New']);
    const many = Array.from({ length: 30 }, (_, n) => `l${n}`);
    expect((await relabel({ streams: [a, c], remove: [...many, 'new'] })).body).toEqual({ matched: 2, changed: 2 });
  });

  test('are all left as they are if one stream would have more than 20, or is not the caller’s', async () => {
    const { labeled, labelsOf, relabel } = await library();
    const full = await labeled(`labels=${Array.from({ length: 20 }, (_, n) => `l${n}`)}`, 'full');
    const bare = await labeled('', 'bare');
    const tooMany = await relabel({ streams: [bare, full], add: ['another'] });
    expect([tooMany.status, tooMany.body.message]).toEqual([400, 'A stream has at most 20 labels, not 21.']);
    const others = (await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'x')).body.streamId;
    expect((await relabel({ streams: [bare, others], add: ['mine'] })).status).toBe(404);
    expect((await relabel({ filter: {}, add: ['mine'] })).status).toBe(400);
    expect((await relabel({ add: ['mine'] })).status).toBe(400);
    expect(await labelsOf(bare)).toEqual([]);
    expect((await getStream(server.url, others)).body.labels).toEqual([]);
  });
});
