import type { Db, MongoClient, MongoClientOptions } from 'mongodb';
import { type Clock, systemClock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { retrying } from '../../supervision/retrying.ts';
import { reach } from './failures.ts';

export interface MongoSettings {
  /** `mongodb://` or `mongodb+srv://`; its path names the database (default: `tributary`), its options win over the time-outs here. */
  readonly url: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Gives up waiting for a server that is not there at the start. */
  readonly signal?: AbortSignal;
}

/** One pool of connections, shared by all that this process keeps in MongoDB. */
export interface Mongo {
  readonly database: Db;
  /** Rejects with `StoreUnavailable` unless a server that takes writes answers. */
  ping(): Promise<void>;
  /** Close what stands on it first. */
  close(): Promise<void>;
}

const DEFAULT_DATABASE = 'tributary';

/** A server that is silent must not hold anybody for longer than these, in milliseconds. */
const TIME_OUTS = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 3_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 10_000,
  heartbeatFrequencyMS: 2_000,
} as const satisfies MongoClientOptions;

/** Whatever the URL says: an acknowledged write survives a change of the primary, and is what the next read finds. */
const GUARANTEES = { w: 'majority', journal: true, readPreference: 'primary' } as const satisfies MongoClientOptions;

/**
 * Connects to MongoDB. A server that is away is waited for, with a line in the log; settings that can never work (a malformed URL, wrong
 * credentials) reject at once, with a sentence that holds no secret.
 */
export const openMongo = async ({ url, logger, clock = systemClock, signal }: MongoSettings): Promise<Mongo> => {
  const driver = await import('mongodb');
  const client = connectTo(url, driver.MongoClient);
  const database = client.db(databaseOf(url));
  const ping = async (): Promise<void> => {
    await reach(database.command({ ping: 1 }));
  };
  try {
    await untilThere(client, ping, { logger, clock, signal });
  } catch (error) {
    await client.close();
    throw error;
  }
  return { database, ping, close: () => client.close() };
};

const connectTo = (url: string, Client: typeof MongoClient): MongoClient => {
  try {
    const given = new Set([...(url.split('?')[1] ?? '').matchAll(/([A-Za-z]+)=/g)].map(([, name]) => name?.toLowerCase()));
    const timeOuts = Object.fromEntries(Object.entries(TIME_OUTS).filter(([name]) => !given.has(name.toLowerCase())));
    return new Client(url, { ...timeOuts, ...GUARANTEES, appName: 'tributary' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The driver quotes the string, name and password with it.
    throw new Error(`the MongoDB connection string cannot be used: ${reason.replace(/\/\/.*@/s, '//...@')}`);
  }
};

const databaseOf = (url: string): string => /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]+)/.exec(url)?.[1] ?? DEFAULT_DATABASE;

const AUTHENTICATION_FAILED = 18;

const untilThere = async (
  client: MongoClient,
  ping: () => Promise<void>,
  { logger, clock, signal }: { logger: Logger; clock: Clock; signal: AbortSignal | undefined },
): Promise<void> => {
  const connect = async (): Promise<void> => {
    await client.connect();
    await ping();
  };
  const isRefused = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === AUTHENTICATION_FAILED;
  const onFailure = (error: unknown) =>
    logger.warn({ error: error instanceof Error ? error.message : String(error) }, 'waiting for MongoDB');
  await retrying(connect, { clock, signal, retryIf: (error) => !isRefused(error), onFailure }).catch((error: unknown) => {
    throw isRefused(error) ? new Error('MongoDB refuses the name and password of the connection string') : error;
  });
};
