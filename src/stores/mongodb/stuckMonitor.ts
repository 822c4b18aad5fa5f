import type { MongoClient } from 'mongodb';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { retrying } from '../../supervision/retrying.ts';

/** Stands for a time-out that the settings switch off. */
const NO_TIME_OUT_MILLISECONDS = 30_000;

interface Watching {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Connects again when a heartbeat has no end. The driver (7.9.0) writes it to a socket that its server has just closed and waits for `drain`, which
 * a destroyed socket never emits. Its monitor then stands still, and every operation fails, even when the server is back. The collections of the client
 * stay usable; running operations fail as if the server was away. Never rejects.
 */
export const reconnectWhenStuck = async (client: MongoClient, { clock, logger, signal }: Watching): Promise<void> => {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  // A server may wait for `heartbeatFrequencyMS` before it answers. A time-out of 0 is none.
  const longest = 2 * (connectTimeoutMS || NO_TIME_OUT_MILLISECONDS) + heartbeatFrequencyMS;
  const begun = new Map<string, number>();
  const end = (address: string): void => void begun.delete(address);
  client.on('serverHeartbeatStarted', ({ connectionId }) => begun.set(connectionId, clock.monotonic()));
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => end(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => end(connectionId));
  client.on('serverClosed', ({ address }) => end(address));
  const reconnect = async (): Promise<void> => {
    await client.close();
    await client.connect();
  };
  while ((await clock.pause(heartbeatFrequencyMS, signal)) === 'elapsed') {
    const now = clock.monotonic();
    if (![...begun.values()].some((at) => now - at > longest)) continue;
    logger.warn({}, 'MongoDB has not answered a heartbeat in time; connecting again');
    await retrying(reconnect, { clock, signal }).catch(() => undefined);
  }
};
