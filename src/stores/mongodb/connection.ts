import type { Db, MongoClient, MongoClientOptions } from 'mongodb';
import { type Clock, systemClock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { aborted } from '../../supervision/aborted.ts';
import { retrying } from '../../supervision/retrying.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { reach } from './failures.ts';
import { refusalOf, watchForRefusals } from './refusals.ts';

export interface MongoSettings {
  /** `mongodb://` or `mongodb+srv://`; its path names the database (default: `tributary`), its options win over the time-outs here. */
  readonly url: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Gives up waiting for a server that is not there at the start. */
  readonly signal?: AbortSignal;
  /** At most so many connections to a server. Default: the URL's, or the driver's. */
  readonly connections?: number;
}

/** One pool of connections, shared by all that this process keeps in MongoDB. */
export interface Mongo {
  readonly database: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether index builds can wait for a majority of the members: a lone server refuses to be told. */
  readonly hasMembers: boolean;
  /** Rejects with `StoreUnavailable` unless a server that takes writes answers. */
  ping(): Promise<void>;
  /** Close what stands on it first. */
  close(): Promise<void>;
}

const DEFAULT_DATABASE = 'tributary';

/** In milliseconds. An election takes 10 to 12 s: requests wait for the next primary instead of failing. */
const TIME_OUTS = {
  serverSelectionTimeoutMS: 15_000,
  connectTimeoutMS: 3_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
  // Below the socket's, so that a write without a majority is answered and keeps its connection.
  wtimeoutMS: 8_000,
  heartbeatFrequencyMS: 2_000,
} as const satisfies MongoClientOptions;

/** Whatever the URL says: an acknowledged write survives a change of the primary, and reads see nothing that a change can undo. */
const GUARANTEES = {
  w: 'majority',
  journal: true,
  readPreference: 'primary',
  readConcernLevel: 'majority',
} as const satisfies MongoClientOptions;

/**
 * Connects to MongoDB. A server that is away is waited for, with a line in the log. Settings that can never work reject with a sentence that
 * names the setting and holds no secret: a malformed URL, missing or wrong credentials, missing rights, a certificate that is not trusted, TLS on one side only.
 */
export const openMongo = async ({ url, logger, clock = systemClock, signal, connections }: MongoSettings): Promise<Mongo> => {
  const driver = await import('mongodb');
  const client = connectTo(url, driver.MongoClient, connections);
  const database = client.db(databaseOf(url));
  const hello = () => primaryHello(database);
  try {
    const { hasMembers } = await untilThere(client, database, { logger, clock, signal });
    const ping = async (): Promise<void> => void (await hello());
    return { database, clock, logger, hasMembers, ping, close: () => client.close() };
  } catch (error) {
    await client.close();
    throw error;
  }
};

const connectTo = (url: string, Client: typeof MongoClient, connections: number | undefined): MongoClient => {
  try {
    const given = new Set([...(url.split('?')[1] ?? '').matchAll(/([A-Za-z]+)=/g)].map(([, name]) => name?.toLowerCase()));
    const timeOuts = Object.fromEntries(Object.entries(TIME_OUTS).filter(([name]) => !given.has(name.toLowerCase())));
    const pool = connections === undefined ? {} : { maxPoolSize: connections };
    return new Client(url, { ...timeOuts, ...pool, ...GUARANTEES, appName: 'tributary' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The driver quotes the string, name and password with it.
    throw new Error(`the MongoDB connection string cannot be used: ${reason.replace(/\/\/.*@/s, '//...@')}`);
  }
};

const databaseOf = (url: string): string => /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]+)/.exec(url)?.[1] ?? DEFAULT_DATABASE;

/** What the server says of itself. With `directConnection` the driver uses a secondary too, which takes no writes. */
const primaryHello = async (database: Db): Promise<{ readonly hasMembers: boolean }> => {
  const hello = await reach(database.command({ hello: 1 }));
  if (hello.isWritablePrimary !== true)
    throw new StoreUnavailable(
      'this MongoDB server is a secondary and takes no writes. Name all members in MONGODB_URL and remove directConnection',
    );
  return { hasMembers: hello.setName !== undefined || hello.msg === 'isdbgrid' };
};

const untilThere = async (
  client: MongoClient,
  database: Db,
  { logger, clock, signal }: { logger: Logger; clock: Clock; signal: AbortSignal | undefined },
): Promise<{ readonly hasMembers: boolean }> => {
  const refused = watchForRefusals(client);
  const ends = signal ? AbortSignal.any([signal, refused.signal]) : refused.signal;
  const connect = async () => {
    await client.connect();
    const hello = await primaryHello(database);
    // `hello` needs no rights: only a read shows whether the credentials are right.
    await database.collection('topics').findOne({}, { projection: { _id: 1 } });
    return hello;
  };
  const onFailure = (error: unknown) =>
    logger.warn({ error: error instanceof Error ? error.message : String(error) }, 'waiting for MongoDB');
  const connecting = retrying(connect, { clock, signal: ends, retryIf: (error) => refusalOf(error, client) === null, onFailure });
  try {
    // An attempt under way may hang for as long as a server is looked for.
    return await Promise.race([connecting, aborted(ends).then(() => Promise.reject(ends.reason))]);
  } catch (error) {
    connecting.catch(() => undefined);
    const refusal = refusalOf(error, client);
    throw refusal === null ? error : new Error(refusal);
  } finally {
    refused.stop();
  }
};
