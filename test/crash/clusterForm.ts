import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, type TestNode } from '../cluster/node.ts';
import { startMongo } from '../fakes/mongodb/start.ts';
import type { Form } from './form.ts';
import { type KillPoint, killAt, untilKilled } from './killing.ts';

/** A killed node is restarted at once, while the load continues at the others. */
const FLEET = ['http', 'http', 'projections,policies', 'processors,delivery'] as const;
const LEASE_TTL_MS = process.env.TEST_LEASE_TTL_MS ?? '8000';
/** Each kill interrupts some work: a command takes far longer here than in one process. */
const RANDOM_MILLISECONDS = [1_000, 4_000] as const;

/** System calls with which a node sends anything to a caller or a store. */
const KILL_POINTS: readonly KillPoint[] = [
  { name: 'before a write to a socket', calls: 'write,writev', within: 1000 },
  { name: 'before a write of several pieces to a socket', calls: 'writev', within: 150 },
  { name: 'before what a socket has is read', calls: 'read', within: 500 },
];

/** FerretDB sorts a whole collection for each compared page. */
const EXAMINATION_MS = 120_000;

/** In memory if there is such a folder: the stores survive, and the test does not test their disk. */
const MEMORY = '/dev/shm';

interface Place {
  readonly roles: string;
  /** While it runs. */
  node: TestNode | null;
  /** Resolves when it runs. */
  started: Promise<void>;
}

/**
 * Nodes over a fake EventStoreDB and over FerretDB or the servers of `MONGODB_URL`, which live on: one node, chosen at random, is killed while the load
 * continues at the others.
 * `traced`: every second kill is at a named point.
 */
export const clusterForm = async (settings: Readonly<Record<string, string>>, traced: boolean): Promise<Form> => {
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'tributary-mongodb-'));
  const { MONGODB_URL: named } = process.env;
  const mongo = named ? { url: named, stop: async () => {} } : await startMongo({ directory });
  const cluster = await startCluster({ LEASE_TTL_MS, ...settings }, mongo.url);
  const launched: TestNode[] = [];
  const begin = async (place: Place): Promise<void> => {
    place.node = await cluster.node(place.roles);
    launched.push(place.node);
  };
  const places: readonly Place[] = FLEET.map((roles) => ({ roles, node: null, started: Promise.resolve() }));
  const startAgain = (place: Place): void => {
    place.started = begin(place);
    // Tells those that wait for it.
    place.started.catch(() => undefined);
  };
  for (const place of places) startAgain(place);
  const start = async (): Promise<void> => void (await Promise.all(places.map(({ started }) => started)));

  return {
    environment: { ...cluster.environment, MONGODB_URL: patient(cluster.environment.MONGODB_URL ?? '') },
    patience: 300_000,
    start,
    urls: () => places.flatMap(({ roles, node }) => (roles === 'http' && node ? [node.url] : [])),
    victim: async (turn) => {
      const place = places[Math.floor(Math.random() * places.length)];
      await place?.started;
      const pid = place?.node?.process.pid;
      if (!place?.node || pid === undefined) throw new Error('it runs');
      const { node } = place;
      const point = (traced && turn % 2 === 0 && KILL_POINTS[(turn / 2) % KILL_POINTS.length]) || null;
      return {
        name: point ? `${place.roles}, ${point.name}` : place.roles,
        killed: async () => {
          if (point) await killAt(point, pid);
          const death = await untilKilled(node, point, RANDOM_MILLISECONDS);
          place.node = null;
          startAgain(place);
          return death;
        },
      };
    },
    stop: async () => {
      const codes = await Promise.all(places.map(({ node }) => node?.stop()));
      const wrong = codes.filter((code) => code !== undefined && code !== 0);
      if (wrong.length > 0) throw new Error(`nodes ended with ${wrong.join(', ')}`);
    },
    close: async (passed) => {
      await cluster.stop();
      if (!passed) keepLogs(launched);
      await mongo.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const patient = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}socketTimeoutMS=${EXAMINATION_MS}`;

const keepLogs = (nodes: readonly TestNode[]): void => {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-crash-logs-'));
  for (const [index, { process, log }] of nodes.entries()) writeFileSync(join(directory, `${index + 1}-${process.pid}.log`), log());
  console.log(`what the nodes said is left for who looks into it: ${directory}`);
};
