import type { IncomingMessage } from 'node:http';
import { ownTurn } from '../../supervision/ownTurn.ts';

const TINY_BYTES = 256;
/** Tiny chunks of one body after which its connection is not read before another turn of the event loop. */
const MOST_IN_A_TURN = 1_024;

/**
 * Gives way to other work while a body arrives in tiny chunks: each costs as much as a large one, and a connection is read up to 2 MiB in one turn. The
 * chunks of one read of 64 KiB still come together.
 */
export const paceTinyChunks = (incoming: IncomingMessage): void => {
  const { push, _read: read } = incoming;
  let tiny = 0;
  let waiting = false;
  const goOn = async (size: number): Promise<void> => {
    waiting = true;
    await ownTurn();
    waiting = false;
    tiny = 0;
    read.call(incoming, size);
  };
  incoming.push = (chunk, encoding) => {
    if (chunk !== null && chunk.length < TINY_BYTES) tiny += 1;
    // False stops the reading of the connection until the next `_read`.
    return push.call(incoming, chunk, encoding) && tiny < MOST_IN_A_TURN;
  };
  incoming._read = (size) => {
    if (tiny < MOST_IN_A_TURN) read.call(incoming, size);
    else if (!waiting) void goOn(size);
  };
};
