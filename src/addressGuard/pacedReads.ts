import type { Socket } from 'node:net';
import { ownTurn } from '../supervision/ownTurn.ts';

/** Read from one connection in one turn of the event loop, beside the piece that exceeds it. */
const BYTES_IN_A_TURN = 65_536;

/**
 * Limits what undici reads from a connection in one turn: without it, undici takes all that has arrived, up to 2 MiB. In chunks of one byte, or as 1xx
 * responses, that takes hundreds of milliseconds.
 */
export const paceReads = (socket: Socket): void => {
  const read = socket.read;
  let left = BYTES_IN_A_TURN;
  let waiting = false;
  const resume = async (): Promise<void> => {
    waiting = true;
    await ownTurn();
    waiting = false;
    left = BYTES_IN_A_TURN;
    socket.emit('readable');
  };
  socket.read = (size) => {
    if (size === 0 || left > 0) {
      const piece: unknown = read.call(socket, size);
      if (piece instanceof Uint8Array) left -= piece.length;
      return piece;
    }
    if (!waiting) void resume();
    return null;
  };
};
