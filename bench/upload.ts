import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { defineBench } from './frame.ts';
import { accessToken, benchDirectory, startBare, startTributary } from './serverProcess.ts';

const BODY = randomBytes(65_536);
const CONNECTIONS = 32;
/** Uploads per round. */
const UPLOADS = { short: 960, full: 9_600 };

const PING_TEMPLATE = '65f46430c6d8985974ff9c9d';
export const UPLOAD_PATH = `/http-gateway/api/v1/upload?streamConfigurationTemplateId=${PING_TEMPLATE}`;

/** Makes `count` uploads over all connections, each after the previous answer. Returns their rate. */
const uploads = async (pool: Pool, path: string, headers: Readonly<Record<string, string>>, count: number): Promise<number> => {
  const start = performance.now();
  const connection = async () => {
    for (let i = 0; i < count / CONNECTIONS; i += 1) {
      const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: BODY });
      if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return (count / (performance.now() - start)) * 1000;
};

/** Waits until all uploads have been processed, so that they do not affect the other side's round. */
export const untilDone = async (url: string, authorization: string): Promise<void> => {
  for (;;) {
    const response = await fetch(`${url}/stream-service/api/v1/streams?state=READY&size=1`, { headers: { authorization } });
    const page: unknown = await response.json();
    if (typeof page === 'object' && page && 'totalElements' in page && page.totalElements === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Raw bodies of 64 KiB through the echo template, synced before they are acknowledged, compared with a bare route that stores and syncs them. */
export const upload = defineBench({
  name: 'upload',
  bar: 0.4,
  run: async (compare, { full }) => {
    const directory = benchDirectory();
    mkdirSync(join(directory, 'bare'));
    const ours = await startTributary(join(directory, 'data'));
    const bare = await startBare('upload', join(directory, 'bare'));
    const authorization = `Bearer ${await accessToken(ours.url)}`;
    const options = { connections: CONNECTIONS, headersTimeout: 30_000 };
    const pools = { ours: new Pool(ours.url, options), bare: new Pool(bare.url, options) };
    const count = full ? UPLOADS.full : UPLOADS.short;
    const delays: number[] = [];
    await compare('64 KiB, 32 connections', {
      unit: 'uploads/s',
      ours: async () => {
        await ours.watch();
        const rate = await uploads(pools.ours, UPLOAD_PATH, { authorization, 'content-type': 'application/octet-stream' }, count);
        delays.push((await ours.tell()).delayP99);
        await untilDone(ours.url, authorization);
        return rate;
      },
      baseline: () => uploads(pools.bare, '/upload', { 'content-type': 'application/octet-stream' }, count),
      // The first belongs to the warm-up round.
      notes: () => ({ 'loop delay p99, worst round': `${Math.max(...delays.slice(1)).toFixed(1)} ms (bar 20)` }),
    });
    await Promise.all([pools.ours.close(), pools.bare.close()]);
    await Promise.all([ours.stop(), bare.stop()]);
  },
});
