import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import { Logger, run } from 'graphile-worker';
import { Pool } from 'pg';
import { request } from 'undici';

/**
 * What one would build instead of the platform, in its own process: `node jobQueueServer.js <directory>` with DATABASE_URL and WEBHOOK_URL. The
 * body is written to a file with an fsync; one transaction inserts a row and a job; a worker copies the bytes, updates the row and posts a webhook.
 */

const [, , directory = ''] = process.argv;
const { DATABASE_URL = '', WEBHOOK_URL = '' } = process.env;

const fileOf = (id: string, kind: 'in' | 'out') => join(directory, `${id}.${kind}`);
const fileTo = (path: string) => createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });

const pool = new Pool({ connectionString: DATABASE_URL, max: 20 });
await pool.query(
  'CREATE TABLE IF NOT EXISTS uploads (id uuid PRIMARY KEY, state text NOT NULL, created timestamptz NOT NULL DEFAULT now())',
);

const copy = async (payload: unknown): Promise<void> => {
  if (typeof payload !== 'object' || payload === null || !('id' in payload)) throw new Error('a job without an id');
  const id = String(payload.id);
  await pipeline(createReadStream(fileOf(id, 'in')), fileTo(fileOf(id, 'out')));
  await pool.query("UPDATE uploads SET state = 'COMPLETED' WHERE id = $1", [id]);
  const body = JSON.stringify({ id, state: 'COMPLETED' });
  const answer = await request(WEBHOOK_URL, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await answer.body.dump();
};

const silent = new Logger(() => () => {});
await run({ pgPool: pool, concurrency: 10, taskList: { copy }, noHandleSignals: true, logger: silent });

const app = express();
app.disable('x-powered-by');
app.post('/upload', async (incoming, response) => {
  const id = randomUUID();
  await pipeline(incoming, fileTo(fileOf(id, 'in')));
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query("INSERT INTO uploads (id, state) VALUES ($1, 'READY')", [id]);
    await client.query('SELECT graphile_worker.add_job($1, $2::json)', ['copy', JSON.stringify({ id })]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  response.json({ id });
});
const server = app.listen(0, '127.0.0.1', () => {
  // A TCP server's address has this form.
  const { port } = server.address() as AddressInfo;
  console.log(`job queue ready http://127.0.0.1:${port}`);
});
process.on('SIGTERM', () => process.exit(0));
