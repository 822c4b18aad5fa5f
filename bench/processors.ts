import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { declaredPath } from './declared.ts';
import { defineBench } from './frame.ts';
import { accessToken, benchDirectory, startBare, startTributary } from './serverProcess.ts';
import { UPLOAD_PATH, untilDone } from './upload.ts';

const MEBIBYTE = 1_048_576;
const CHUNK = randomBytes(65_536);

/** Streams per round, concurrent streams, and bytes of each. */
const CASES = [
  { label: '4 streams of 16 MiB', streams: 4, together: 4, bytes: 16 * MEBIBYTE },
  { label: '200 streams of 4 KiB', streams: 200, together: 16, bytes: 4_096 },
];

function* chunks(bytes: number): Generator<Buffer> {
  for (let sent = 0; sent < bytes; sent += CHUNK.length) yield CHUNK.subarray(0, Math.min(CHUNK.length, bytes - sent));
}

/** Sends one body and reads the whole answer. */
const post = async (url: string, headers: Readonly<Record<string, string>>, bytes: number): Promise<void> => {
  const body = Readable.from(chunks(bytes), { objectMode: false });
  const type = { 'content-type': 'application/octet-stream' };
  const answer = await request(url, { method: 'POST', headers: { ...headers, ...type }, body, headersTimeout: 0, bodyTimeout: 0 });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
  await answer.body.dump({ limit: Number.POSITIVE_INFINITY });
};

/**
 * The echo at a declared URL, compared with the built-in echo and the same HTTP hop alone, with the same bytes. A round ends when every stream has
 * completed.
 */
export const processors = defineBench({
  name: 'processors',
  bar: 0.8,
  run: async (compare) => {
    const directory = benchDirectory();
    mkdirSync(join(directory, 'echo'));
    const hop = await startBare('echo', join(directory, 'echo'));
    const ours = await startTributary(join(directory, 'data'), { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    const authorization = `Bearer ${await accessToken(ours.url)}`;
    const declared = await declaredPath(ours, authorization, `${hop.url}/echo`);
    for (const { label, streams, together, bytes } of CASES) {
      const round = async (one: () => Promise<unknown>): Promise<number> => {
        const start = performance.now();
        const caller = async () => {
          for (let n = 0; n < streams / together; n += 1) await one();
        };
        await Promise.all(Array.from({ length: together }, caller));
        await untilDone(ours.url, authorization);
        return ((streams * bytes) / MEBIBYTE / (performance.now() - start)) * 1_000;
      };
      const uploaded = (path: string) => post(ours.url + path, { authorization }, bytes);
      await compare(label, {
        unit: 'MiB/s',
        ours: () => round(() => uploaded(declared)),
        baseline: () => round(() => Promise.all([uploaded(UPLOAD_PATH), post(`${hop.url}/echo`, {}, bytes)])),
      });
    }
    await Promise.all([ours.stop(), hop.stop()]);
  },
});
