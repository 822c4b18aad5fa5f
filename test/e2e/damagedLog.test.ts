import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { call, PING_TEMPLATE, streamEnd, upload } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { type RunningServer, startServer } from './server.ts';

/** Appends an event without the platform's metadata to an event stream, like another program with access to the store. */
const appendForeign = async (server: RunningServer, eventStream: string): Promise<void> => {
  if (isClusterForm) {
    const client = EventStoreDBClient.connectionString(server.environment.EVENTSTORE_URL ?? '');
    await client.appendToStream(eventStream, jsonEvent({ type: 'Noted', data: {} }));
    return;
  }
  const database = new DatabaseSync(join(server.dataDir, 'log.db'));
  const insert = `INSERT INTO events SELECT MAX(position) + 1, ?, (SELECT MAX(revision) + 1 FROM events WHERE event_stream = ?), 0, ?, 'Noted', '{}', '{}' FROM events`;
  database.prepare(insert).run(eventStream, eventStream, randomUUID());
  database.close();
};

test('a damaged event stream is 503 with its name and no Retry-After, makes the server unready, and affects no other', async () => {
  const dataDir = temporaryDirectory();
  const before = await startServer({ dataDir });
  const [damaged, whole] = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const { body } = await upload(before.url, { streamConfigurationTemplateId: PING_TEMPLATE, name, persist: 'true' }, 'bytes');
      await streamEnd(before.url, body.streamId);
      return String(body.streamId);
    }),
  );
  // The embedded log has one writer. In the cluster form the servers keep running.
  if (!isClusterForm) await before.stop();
  await appendForeign(before, `stream-${damaged}`);
  const { url } = isClusterForm ? before : await startServer({ dataDir });
  const cancel = (streamId = '') => call(url, `/stream-service/api/v1/streams/${streamId}`, { method: 'DELETE', expects503: true });
  const refused = await cancel(damaged);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBeNull();
  expect(refused.body).toMatchObject({
    internalErrorName: 'GENERAL_INTERNAL_ERROR',
    message: expect.stringContaining(`stream-${damaged} is damaged`),
  });
  const health = await call(url, '/health/ready', { expects503: true });
  expect(health.status).toBe(503);
  expect(health.body.checks.eventStreams).toMatchObject({ ok: false, reason: expect.stringContaining(`stream-${damaged}`) });
  expect((await call(url, '/metrics')).text).toMatch(/^tributary_event_streams_damaged 1$/m);
  expect((await cancel(whole)).status).toBe(204);
  const { body } = await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE, name: 'three' }, 'bytes');
  expect(await streamEnd(url, body.streamId)).toMatchObject({ state: 'COMPLETED' });
});
