import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { join } from 'node:path';
import { fillLog } from './fillLog.ts';
import { defineBench } from './frame.ts';
import { getAll } from './rawClient.ts';
import { accessToken, benchDirectory, startBare, startTributary } from './serverProcess.ts';

const CONNECTIONS = 64;
/** Streams in the log; each round reads every stream once. */
const STREAMS = { short: 5_000, full: 100_000 };

/** The platform's token signing key, for the bare route. */
const publicKey = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/realms/tributary/protocol/openid-connect/certs`);
  const { keys } = (await response.json()) as { keys: JsonWebKey[] };
  const [key] = keys;
  if (!key) throw new Error('the platform has no key');
  return createPublicKey({ key: { ...key }, format: 'jwk' })
    .export({ format: 'pem', type: 'spki' })
    .toString();
};

/** Reads one stream per request, each a different one, compared with a bare Express route with express-jwt and the same look-up in the same file. */
export const read = defineBench({
  name: 'read',
  bar: 0.6,
  run: async (compare, { full }) => {
    const dataDir = join(benchDirectory(), 'data');
    const { streamIds, events } = await fillLog(dataDir, full ? STREAMS.full : STREAMS.short);
    // Without policies and processors, because the log was filled without them.
    const ours = await startTributary(dataDir, { ROLES: 'http,projections' });
    const environment = { TOKEN_KEY: await publicKey(ours.url), ISSUER: `${ours.url}/realms/tributary` };
    const bare = await startBare('read', dataDir, environment);
    const round = async (url: string, prefix: string): Promise<number> => {
      const authorization = `Bearer ${await accessToken(ours.url)}`;
      const paths = streamIds.map((id) => `${prefix}/streams/${id}`);
      return getAll(url, paths, { authorization }, CONNECTIONS);
    };
    await compare(`${streamIds.length.toLocaleString('en')} streams, 64 conn.`, {
      unit: 'reads/s',
      ours: () => round(ours.url, '/stream-service/api/v1'),
      baseline: () => round(bare.url, ''),
      notes: () => ({ 'events in the log': events }),
    });
    await Promise.all([ours.stop(), bare.stop()]);
  },
});
