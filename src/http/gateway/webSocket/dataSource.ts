import { PassThrough, type Writable } from 'node:stream';

/** Data waits here behind the frame that its reader collects, so one read of each client's socket is enough. */
const BUFFERED_BYTES = 65_536;

/** A stream for the data of a socket. */
export const openDataSource = (): PassThrough => {
  const source = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  // The reader gets the error; without a reader, it must not end the process.
  source.on('error', () => {});
  return source;
};

/** Resolves when the stream has room for more. Ignores data after its end. */
export const writeWhenRoom = async (stream: Writable, data: Uint8Array): Promise<void> => {
  if (!stream.writable || stream.write(data)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
};
