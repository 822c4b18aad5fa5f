import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from 'undici';
import { defineBench } from './frame.ts';
import { accessToken, benchDirectory, startBare, startTributary } from './serverProcess.ts';
import { UPLOAD_PATH, untilDone } from './upload.ts';

const MEBIBYTE = 1_048_576;
const SIZE = { short: 128 * MEBIBYTE, full: 1_024 * MEBIBYTE };
const CHUNK = randomBytes(MEBIBYTE);
const MEMORY_BAR_MEBIBYTES = 64;

/** The echo processor would write every byte again during the upload: with the processors on another node, only the upload is measured. */
const CASES = [
  { label: 'alone', roles: 'http,projections,policies', echoes: false },
  { label: 'and its echo', roles: 'http,projections,policies,processors', echoes: true },
];

function* chunks(bytes: number): Generator<Buffer> {
  for (let sent = 0; sent < bytes; sent += CHUNK.length) yield CHUNK;
}

/** Sends one body and returns its MiB/s. */
const send = async (url: string, path: string, headers: Readonly<Record<string, string>>, bytes: number): Promise<number> => {
  const client = new Client(url, { headersTimeout: 0, bodyTimeout: 0 });
  const start = performance.now();
  const body = Readable.from(chunks(bytes), { objectMode: false, highWaterMark: MEBIBYTE });
  const answer = await client.request({ method: 'POST', path, headers: { ...headers, 'content-length': String(bytes) }, body });
  const seconds = (performance.now() - start) / 1000;
  const text = await answer.body.text();
  await client.close();
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
  return bytes / MEBIBYTE / seconds;
};

/** One large raw body, synced before it is acknowledged, compared with a bare route that stores and syncs it. */
export const uploadLarge = defineBench({
  name: 'upload-large',
  bar: 0.8,
  run: async (compare, { full }) => {
    const directory = benchDirectory();
    const bareDirectory = join(directory, 'bare');
    mkdirSync(bareDirectory);
    const bare = await startBare('upload', bareDirectory);
    const bytes = full ? SIZE.full : SIZE.short;
    const baseline = async () => {
      const rate = await send(bare.url, '/upload', {}, bytes);
      for (const name of readdirSync(bareDirectory)) rmSync(join(bareDirectory, name));
      return rate;
    };
    for (const { label, roles, echoes } of CASES) {
      const dataDir = join(directory, label.replaceAll(' ', '-'));
      const ours = await startTributary(dataDir, { ROLES: roles });
      const authorization = `Bearer ${await accessToken(ours.url)}`;
      const growth: number[] = [];
      await compare(`${bytes / MEBIBYTE} MiB, ${label}`, {
        unit: 'MiB/s',
        rounds: 5,
        ours: async () => {
          await ours.watch();
          const rate = await send(ours.url, UPLOAD_PATH, { authorization }, bytes);
          growth.push((await ours.tell()).memoryGrowth / MEBIBYTE);
          if (echoes) await untilDone(ours.url, authorization);
          return rate;
        },
        baseline,
        notes: () => ({ 'memory grows by at most': `${Math.max(...growth).toFixed(0)} MiB (bar ${MEMORY_BAR_MEBIBYTES})` }),
      });
      await ours.stop();
      rmSync(dataDir, { recursive: true });
    }
    await bare.stop();
  },
});
