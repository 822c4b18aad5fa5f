import type { Compare } from './frame.ts';
import { getDuring } from './rawClient.ts';
import { accessToken, startTributary } from './serverProcess.ts';

/** A light load, so that the rebuild is measured and not the queue. */
const LOAD = { connections: 8, pauseMilliseconds: 10 };
const LOOK_MILLISECONDS = 100;
/** Duration of the measurement without a rebuild. */
const REST_MILLISECONDS = 4_000;
const OPERATIONS = '/operations-service/api/v1/projections';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resolves when a read model, or `all` in parallel, has been rebuilt beside the served one. */
export const rebuildReadModel = async (url: string, name: string, headers: Record<string, string>): Promise<void> => {
  const asked = await fetch(`${url}${OPERATIONS}/${name}/rebuild`, { method: 'POST', headers });
  if (asked.status !== 202) throw new Error(`rebuild: ${asked.status} ${await asked.text()}`);
  for (let states: string[] = ['rebuilding']; states.includes('rebuilding'); ) {
    await pause(LOOK_MILLISECONDS);
    const statuses = (await (await fetch(`${url}${OPERATIONS}`, { headers })).json()) as { state: string }[];
    states = statuses.map(({ state }) => state);
  }
};

const p99 = (took: readonly number[]): number => [...took].sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN;

/** `GET /streams/{id}` during a rebuild of all read models, compared with none: as rates, so that half means twice the time. */
export const serveWhileRebuilding = async (compare: Compare, dataDir: string, streamIds: readonly string[]): Promise<void> => {
  // Without policies and processors, because the log was filled without them.
  const server = await startTributary(dataDir, { ROLES: 'http,projections' });
  const paths = streamIds.map((id) => `/stream-service/api/v1/streams/${id}`);
  const during: number[] = [];
  const measure = async (work: (headers: Record<string, string>) => Promise<unknown>): Promise<number> => {
    const headers = { authorization: `Bearer ${await accessToken(server.url)}` };
    return p99(await getDuring(server.url, paths, headers, { ...LOAD, until: work(headers) }));
  };
  await compare('GET stream, 1/p99', {
    unit: '1/s',
    rounds: 5,
    bar: 0.5,
    ours: async () => {
      const milliseconds = await measure((headers) => rebuildReadModel(server.url, 'all', headers));
      during.push(milliseconds);
      return 1000 / milliseconds;
    },
    baseline: async () => 1000 / (await measure(() => pause(REST_MILLISECONDS))),
    notes: () => ({ 'p99 while rebuilding, worst round': `${Math.max(...during.slice(1)).toFixed(1)} ms` }),
  });
  await server.stop();
};
