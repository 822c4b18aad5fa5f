import type { Db, MongoClient, MongoClientOptions } from 'mongodb';
import { type Clock, systemClock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { aborted } from '../../supervision/aborted.ts';
import { retrying } from '../../supervision/retrying.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { reach } from './failures.ts';
import { refusalOf, watchForRefusals } from './refusals.ts';
import { reconnectWhenStuck } from './stuckMonitor.ts';

export interface MongoSettings {
  /** `mongodb://` or `mongodb+srv://`; its path names the database (default: `tributary`), its options win over the time-outs here. */
  readonly url: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Ends the wait for a server that is away at the start. */
  readonly signal?: AbortSignal;
  /** Most connections to a server. Default: the URL's, or the driver's. */
  readonly connections?: number;
}

/** One connection pool for everything that this process stores in MongoDB. */
export interface Mongo {
  readonly database: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether index builds can wait for a majority of the members: a lone server refuses the option. */
  readonly hasMembers: boolean;
  /** Close its users first. */
  close(): Promise<void>;
}

const DEFAULT_DATABASE = 'tributary';

/** In milliseconds. An election takes 10 to 12 s: requests wait for the next primary instead of failing. */
const TIME_OUTS = {
  serverSelectionTimeoutMS: 15_000,
  connectTimeoutMS: 3_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
  // Shorter than the socket's, so that a write without a majority is answered and keeps its connection.
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
 * Connects to MongoDB. Waits for a server that is away, with a line in the log. Settings that can never work reject with a sentence that names the
 * setting and contains no secret: a malformed URL, missing or wrong credentials, missing rights, an untrusted certificate, TLS on one side only.
 */
export const openMongo = async ({ url, logger, clock = systemClock, signal, connections }: MongoSettings): Promise<Mongo> => {
  const driver = await import('mongodb');
  const client = connectTo(url, driver.MongoClient, connections);
  const database = client.db(databaseOf(url));
  try {
    const { hasMembers } = await untilThere(client, database, { logger, clock, signal });
    const closing = new AbortController();
    const watching = reconnectWhenStuck(client, { clock, logger, signal: closing.signal });
    const close = async (): Promise<void> => {
      closing.abort();
      await client.close();
      await watching;
      // It may have connected again meanwhile.
      await client.close();
    };
    return { database, clock, logger, hasMembers, close };
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
    // The driver quotes the string with its name and password.
    throw new Error(`the MongoDB connection string cannot be used: ${reason.replace(/\/\/.*@/s, '//...@')}`);
  }
};

const databaseOf = (url: string): string => /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]+)/.exec(url)?.[1] ?? DEFAULT_DATABASE;

/** The server's own description. With `directConnection` the driver also uses a secondary, which accepts no writes. */
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
    // `hello` needs no rights: only a read shows whether the credentials are valid.
    await database.collection('topics').findOne({}, { projection: { _id: 1 } });
    return hello;
  };
  const onFailure = (error: unknown) =>
    logger.warn({ error: error instanceof Error ? error.message : String(error) }, 'waiting for MongoDB');
  const connecting = retrying(connect, { clock, signal: ends, retryIf: (error) => refusalOf(error, client) === null, onFailure });
  try {
    // A running attempt may hang as long as the driver looks for a server.
    return await Promise.race([connecting, aborted(ends).then(() => Promise.reject(ends.reason))]);
  } catch (error) {
    connecting.catch(() => undefined);
    const refusal = refusalOf(error, client);
    throw refusal === null ? error : new Error(refusal);
  } finally {
    refused.stop();
  }
};
