import type { MongoClient } from 'mongodb';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';

/** Longer than a command or a new connection may take. */
const STILL_MILLISECONDS = 15_000;

/**
 * The driver (7.9.0) waits for ever if the socket of a new connection is destroyed just before its handshake is written. Two of them, and its pool makes no
 * connection any more, also when the server is back. Then the client is connected again: its collections stay usable, and running calls fail as if the
 * server was away.
 */
export const reconnectWhenStuck = (client: Pick<MongoClient, 'on' | 'close' | 'connect'>, clock: Clock, logger: Logger): void => {
  let moved = clock.monotonic();
  let isReconnecting = false;
  const note = (): void => {
    moved = clock.monotonic();
  };
  const reconnect = async (): Promise<void> => {
    isReconnecting = true;
    logger.warn({}, 'the MongoDB connections are stuck; connecting again');
    await client.close();
    await client.connect();
  };
  client.on('connectionReady', note);
  client.on('connectionCheckedIn', note);
  client.on('connectionPoolCleared', note);
  client.on('connectionCheckOutFailed', ({ reason }) => {
    if (reason !== 'timeout' || isReconnecting || clock.monotonic() - moved < STILL_MILLISECONDS) return;
    reconnect()
      .catch((error: unknown) => logger.warn({ error: String(error) }, 'connecting to MongoDB again failed'))
      .finally(() => {
        isReconnecting = false;
        note();
      });
  });
};
