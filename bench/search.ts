import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { defineBench, percentile } from './frame.ts';
import { rebuildReadModel } from './rebuildServing.ts';
import { drawn, fillLibrary, vocabulary } from './searchLibrary.ts';
import { accessToken, benchDirectory, type MeasuredServer, startTributary } from './serverProcess.ts';

const STREAMS = { short: 200, full: 2_000 };
const WORDS = 5_000;
const SEARCHES = 300;
/** What is promised at the full size. */
const BARS = { p95Milliseconds: 50, rebuildSeconds: 60, sizeOfText: 1.5 };

/** Milliseconds of a search of two words, which are drawn as they are spoken. */
const searchOnce = async ({ url }: MeasuredServer, headers: Record<string, string>, subject: string): Promise<number> => {
  const q = `${vocabulary[drawn()]} ${vocabulary[drawn()]}`;
  const began = performance.now();
  const answer = await fetch(`${url}/export-service/api/v1/search?${new URLSearchParams({ q, subject })}`, { headers });
  const { content } = (await answer.json()) as { content: unknown };
  const took = performance.now() - began;
  if (answer.status !== 200 || !Array.isArray(content)) throw new Error(`search: ${answer.status}`);
  return took;
};

/** Bytes of the read model and its index in the file of the read models. */
const indexBytes = (dataDir: string): number => {
  const views = new DatabaseSync(join(dataDir, 'views.db'), { readOnly: true });
  const like = ['doc:search@%', 'words:search@%', 'sqlite_autoindex_doc:search@%'].map((name) => `name LIKE '${name}'`).join(' OR ');
  const bytes = Number(views.prepare(`SELECT sum(pgsize) AS bytes FROM dbstat WHERE ${like}`).get()?.bytes);
  views.close();
  return bytes;
};

/** Searches of two words in kept transcripts of one user, the rebuild of their read model, and its size: each compared with its bound. */
export const search = defineBench({
  name: 'search',
  bar: 1,
  run: async (compare, { full }) => {
    const dataDir = join(benchDirectory(), 'data');
    const streams = full ? STREAMS.full : STREAMS.short;
    const { owner, textBytes } = await fillLibrary(dataDir, streams, WORDS);
    // Without policies and processors, because the log was filled without them.
    const server = await startTributary(dataDir, { ROLES: 'http,projections' });
    const headers = async () => ({ authorization: `Bearer ${await accessToken(server.url)}` });
    const rebuilds: number[] = [];
    await compare(`rebuild ${streams.toLocaleString('en')} transcripts`, {
      unit: '1/s',
      once: true,
      ours: async () => {
        const began = performance.now();
        await rebuildReadModel(server.url, 'search', await headers());
        rebuilds.push((performance.now() - began) / 1_000);
        return 1 / (rebuilds.at(-1) ?? 0);
      },
      baseline: async () => 1 / BARS.rebuildSeconds,
      notes: () => ({ seconds: rebuilds.map((seconds) => seconds.toFixed(1)).join(), text: `${(textBytes / 1e6).toFixed(0)} MB` }),
    });
    const took: number[] = [];
    await compare('two words, 1/p95', {
      unit: '1/s',
      rounds: 5,
      ours: async () => {
        const authorized = await headers();
        const round: number[] = [];
        for (let n = 0; n < SEARCHES; n += 1) round.push(await searchOnce(server, authorized, owner));
        took.push(...round);
        return 1_000 / percentile(round, 0.95);
      },
      baseline: async () => 1_000 / BARS.p95Milliseconds,
      notes: () => ({ p50: `${percentile(took, 0.5).toFixed(1)} ms`, p95: `${percentile(took, 0.95).toFixed(1)} ms` }),
    });
    const share = indexBytes(dataDir) / textBytes;
    await compare('text per index', {
      unit: 'bytes/byte',
      once: true,
      ours: async () => 1 / share,
      baseline: async () => 1 / BARS.sizeOfText,
      notes: () => ({ 'index per text': share.toFixed(2) }),
    });
    await server.stop();
  },
});
