import { MongoClient } from 'mongodb';
import { openTcpProxy } from '../tcpProxy.ts';
import { withDatabase } from './databaseUrl.ts';
import { databaseName, type FakeMongo, fakeMongoIsHere, startMongo } from './start.ts';

/** A MongoDB that a test can disturb. */
export interface FaultyMongo extends Pick<FakeMongo, 'kill' | 'restart' | 'pause' | 'resume' | 'stop'> {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** A connection string with a fresh database, directly to this server. `at`: the port of a proxy before it. */
  freshUrl(options?: Readonly<Record<string, string>>, at?: number): string;
}

const named = process.env.MONGODB_URL;

/** Whether one is available: `MONGODB_URL`, or Go for a FerretDB. */
export const faultyMongoIsHere = async (): Promise<boolean> => named !== undefined || fakeMongoIsHere();

/** Stand-ins that read the messages between driver and server cannot do so through TLS. */
export const speaksPlainly = !/[?&](?:tls|ssl)=true/i.test(named ?? '') && !named?.startsWith('mongodb+srv:');
if (!speaksPlainly) console.warn('skipped: needs MONGODB_URL without TLS');

/** The primary of the servers in `MONGODB_URL`, behind a proxy that cuts it off instead of killing it; otherwise a FerretDB. */
export const startFaultyMongo = async (): Promise<FaultyMongo> => (named ? behindProxy(named) : ferretDb());

const ferretDb = async (): Promise<FaultyMongo> => {
  const server = await startMongo();
  const port = Number(new URL(server.url).port);
  const { kill, restart, pause, resume, stop } = server;
  const freshUrl: FaultyMongo['freshUrl'] = (options, at = port) => withDatabase(`mongodb://127.0.0.1:${at}/`, databaseName(), options);
  return { kill, restart, pause, resume, stop, port, freshUrl };
};

const behindProxy = async (url: string): Promise<FaultyMongo> => {
  const client = new MongoClient(url);
  const { host, port, credentials } = await primaryOf(client, url);
  const proxy = await openTcpProxy({ host, port });
  const names: string[] = [];
  // Once named, the place of the users stays the same.
  const kept = optionsOf(withDatabase(url, 'any'));
  return {
    port: proxy.port,
    kill: () => proxy.become('refuse'),
    restart: () => proxy.become('pass'),
    pause: () => void proxy.become('hold'),
    resume: () => void proxy.become('pass'),
    stop: async () => {
      await proxy.close();
      for (const name of names) await client.db(name).dropDatabase();
      await client.close();
    },
    freshUrl: (options, at = proxy.port) => {
      const name = databaseName();
      names.push(name);
      const plain = speaksPlainly ? {} : { tls: 'true', tlsAllowInvalidHostnames: 'true' };
      // The driver would find the members by their own addresses, past the proxy.
      const direct = options?.replicaSet ? {} : { directConnection: 'true' };
      return withDatabase(`mongodb://${credentials}127.0.0.1:${at}/?${kept}`, name, { ...plain, ...direct, ...options });
    },
  };
};

/** Options except those that locate the servers. */
const optionsOf = (url: string): string => {
  const options = new URLSearchParams(url.split('?')[1]);
  for (const name of ['replicaSet', 'directConnection', 'loadBalanced', 'srvServiceName']) options.delete(name);
  return options.toString();
};

const primaryOf = async (client: MongoClient, url: string) => {
  const hello = await client.db('admin').command({ hello: 1 });
  const [first] = client.options.hosts;
  const address = typeof hello.primary === 'string' ? hello.primary : String(first);
  const end = address.lastIndexOf(':');
  const [, credentials = ''] = /^mongodb(?:\+srv)?:\/\/([^@/]*@)?/.exec(url) ?? [];
  return { host: address.slice(0, end).replace(/^\[|\]$/g, ''), port: Number(address.slice(end + 1)), credentials };
};
