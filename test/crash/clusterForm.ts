import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/logger.ts';
import type { StoredDocument } from '../../src/stores/documents.ts';
import { openMongo } from '../../src/stores/mongodb/connection.ts';
import { type DocumentRecord, documentOf } from '../../src/stores/mongodb/documentForm.ts';
import { startFakeCluster, type TestNode } from '../cluster/node.ts';
import { startMongo } from '../fakes/mongodb/start.ts';
import { ClusterInterrupted } from './clusterInterrupted.ts';
import { CLUSTER_POINTS, type ClusterPoint } from './clusterSteps.ts';
import type { Form } from './form.ts';
import { type Death, type KillPoint, killAt, untilKilled } from './killing.ts';

/** A killed node is restarted at once, while the load continues at the others. */
const FLEET = ['http', 'http', 'projections,policies', 'processors,delivery'] as const;
const LEASE_TTL_MS = process.env.TEST_LEASE_TTL_MS ?? '8000';
/** Places of the load's only user. FerretDB decodes all of a user's places whenever it counts them: with 1,000 places it does nothing else. */
const PLACES = '200';
/** Each kill interrupts some work: a command takes far longer here than in one process. */
const RANDOM_MILLISECONDS = [1_000, 4_000] as const;

/** System calls with which a node sends anything to a caller or a store. */
const KILL_POINTS: readonly KillPoint[] = [
  { name: 'before a write to a socket', calls: 'write,writev', within: 1000 },
  { name: 'before a write of several pieces to a socket', calls: 'writev', within: 150 },
  { name: 'before what a socket has is read', calls: 'read', within: 500 },
];

/** After hundreds of kills the read models are behind, and FerretDB is busy. */
const EXAMINATION_MS = 120_000;

/** In memory if there is such a folder: the stores survive, and the test does not test their disk. */
const MEMORY = '/dev/shm';

/** A node under the name by which the fake EventStoreDB knows it. */
interface Named extends TestNode {
  readonly name: string;
  /** When it was ready, milliseconds since the epoch. */
  readonly since: number;
}

interface Place {
  readonly roles: string;
  /** While it runs. */
  node: Named | null;
  /** Resolves when it runs. */
  started: Promise<void>;
}

/**
 * Nodes over a fake EventStoreDB and over FerretDB or the servers of `MONGODB_URL`, which live on: one node, chosen at random, is killed while the load
 * continues at the others. A third of the kills are at random moments, a third at an append that the fake holds.
 * `traced`: a third are at a system call, which else are at random moments too.
 */
export const clusterForm = async (settings: Readonly<Record<string, string>>, traced: boolean): Promise<Form> => {
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'tributary-mongodb-'));
  const { MONGODB_URL: named } = process.env;
  const mongo = named ? { url: named, stop: async () => {} } : await startMongo({ directory });
  const cluster = await startFakeCluster({ LEASE_TTL_MS, MAX_CONCURRENT_STREAMS: PLACES, ...settings }, mongo.url);
  const { eventStore, environment } = cluster.backends;
  const interrupted = await ClusterInterrupted.open(eventStore, environment.MONGODB_URL ?? '');
  const patientUrl = patient(cluster.environment.MONGODB_URL ?? '');
  const launched: TestNode[] = [];
  let begun = 0;
  const begin = async (place: Place): Promise<void> => {
    begun += 1;
    const name = `node-${begun}`;
    const node = await cluster.node(place.roles, { EVENTSTORE_URL: `${environment.EVENTSTORE_URL}&connectionName=${name}` });
    place.node = { ...node, name, since: Date.now() };
    launched.push(node);
  };
  const places: readonly Place[] = FLEET.map((roles) => ({ roles, node: null, started: Promise.resolve() }));
  const startAgain = (place: Place): void => {
    place.started = begin(place);
    // Tells those that wait for it.
    place.started.catch(() => undefined);
  };
  for (const place of places) startAgain(place);
  const start = async (): Promise<void> => void (await Promise.all(places.map(({ started }) => started)));

  const running = (place: Place | undefined): Named => {
    if (!place?.node) throw new Error('it runs');
    return place.node;
  };
  const dieAt = async (place: Place, killing: (node: Named) => Promise<Death>): Promise<Death> => {
    const node = running(place);
    const death = await killing(node);
    interrupted.died({ name: node.name, roles: place.roles.split(','), since: node.since, died: Date.now() });
    place.node = null;
    startAgain(place);
    return death;
  };
  const atRandom = (place: Place, point: KillPoint | null): Promise<Death> =>
    dieAt(place, async (node) => {
      if (point) await killAt(point, node.process.pid ?? 0);
      return untilKilled(node, point, RANDOM_MILLISECONDS);
    });
  /** The node whose append is held dies, or another one with the role if there was no such append. */
  const atAppend = async ({ role, patience, ...held }: ClusterPoint): Promise<Death> => {
    const able = places.filter(({ roles }) => roles.split(',').includes(role));
    await Promise.all(able.map(({ started }) => started));
    const by = await eventStore.hold({ ...held, by: able.map((place) => running(place).name) }, patience);
    const place = able.find(({ node }) => node?.name === by) ?? able[0];
    if (!place) throw new Error(`no node is ${role}`);
    return dieAt(place, async (node) => {
      await node.kill();
      return by === null ? 'on the way to its point' : 'at its point';
    });
  };

  return {
    environment: { ...cluster.environment, MONGODB_URL: patientUrl },
    patience: 300_000,
    interrupted,
    start,
    urls: () => places.flatMap(({ roles, node }) => (roles === 'http' && node ? [node.url] : [])),
    victim: async (turn) => {
      const held = turn % 3 === 2 && CLUSTER_POINTS[((turn - 2) / 3) % CLUSTER_POINTS.length];
      if (held) return { name: `${held.role}, ${held.name}`, killed: () => atAppend(held) };
      const place = places[Math.floor(Math.random() * places.length)];
      await place?.started;
      const { roles } = place ?? {};
      const point = (traced && turn % 3 === 0 && KILL_POINTS[(turn / 3) % KILL_POINTS.length]) || null;
      return { name: point ? `${roles}, ${point.name}` : `${roles}`, killed: () => (place ? atRandom(place, point) : Promise.reject()) };
    },
    stop: async () => {
      const codes = await Promise.all(places.map(({ node }) => node?.stop()));
      const wrong = codes.filter((code) => code !== undefined && code !== 0);
      if (wrong.length > 0) throw new Error(`nodes ended with ${wrong.join(', ')}`);
    },
    documents: (_, collection) => unsorted(patientUrl, collection),
    close: async (passed) => {
      await interrupted.close();
      await cluster.stop();
      if (!passed) keepLogs(launched);
      await mongo.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** The driver's monitor gives a busy server as long to answer as a new connection. */
const patient = (url: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}socketTimeoutMS=${EXAMINATION_MS}&connectTimeoutMS=${EXAMINATION_MS}`;

/** Documents read at a time. */
const PAGE = 500;

/** As the server has them: FerretDB reads and sorts the whole collection again for each page in order of id. */
async function* unsorted(url: string, collection: string): AsyncGenerator<StoredDocument, void, undefined> {
  const mongo = await openMongo({ url, logger: silentLogger });
  try {
    const records = mongo.database.collection<DocumentRecord>(`views.doc.${collection}`);
    for await (const record of records.find({}, { batchSize: PAGE })) {
      const document = documentOf(record);
      if (document) yield document;
    }
  } finally {
    await mongo.close();
  }
}

const keepLogs = (nodes: readonly TestNode[]): void => {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-crash-logs-'));
  for (const [index, { process, log }] of nodes.entries()) writeFileSync(join(directory, `${index + 1}-${process.pid}.log`), log());
  console.log(`what the nodes said is left for who looks into it: ${directory}`);
};
