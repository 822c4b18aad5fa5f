import { expect, onTestFinished, test } from 'vitest';
import { PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { startServer } from './server.ts';

const ping = { streamConfigurationTemplateId: PING_TEMPLATE };

test('a lone node frees the slot of a stream at its end, without the completion policy', async () => {
  const server = await startServer({ environment: { ROLES: 'http,projections,processors', MAX_CONCURRENT_STREAMS: '2' } });
  onTestFinished(() => server.kill());
  const remaining: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    const { status, headers, body } = await upload(server.url, ping, 'x');
    expect(status).toBe(200);
    remaining.push(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    await streamEnd(server.url, body.streamId);
  }
  // At most the slot of the upload itself is taken.
  expect(remaining.every((free) => Number(free) >= 1)).toBe(true);
});
