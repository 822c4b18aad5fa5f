import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Json } from '../json.ts';

/**
 * The command line beside a running server: a Unix socket in the data directory that only its owner may open. A request is one JSON line
 * `{operation, input}`; the answer is any number of `{progress}` and `{output}` lines and then one of `{result}` or `{error}`.
 */
export type RunOperation = (operation: string, input: Json, say: Say) => Promise<Json>;

/** Reports of a running operation. */
export interface Say {
  progress(line: string): void;
  /** A piece of the output. Resolves when there is room for more. */
  output(text: string): Promise<void>;
}

type Answer = { progress: string } | { output: string } | { result: Json } | { error: string };

/** Longest path of a Unix socket on Linux. */
const MAX_SOCKET_PATH = 107;

export interface ControlSocket {
  close(): Promise<void>;
}

/** Listens on `path`; `null` if the path is too long for a Unix socket (the command line then needs the server stopped). */
export const serveControlSocket = async (path: string, run: RunOperation): Promise<ControlSocket | null> => {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) return null;
  // The data directory is locked by now, so an existing socket was left by a dead server.
  rmSync(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    // A caller that disconnects in the middle of a line gets no answer.
    answer(socket, run).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
};

const answer = async (socket: Socket, run: RunOperation): Promise<void> => {
  const gone = closed(socket);
  const send = (message: Answer) => socket.write(`${JSON.stringify(message)}\n`);
  const say: Say = {
    progress: (progress) => void send({ progress }),
    output: async (output) => {
      if (!send({ output })) await once(socket, 'drain', { signal: gone });
    },
  };
  for await (const line of createInterface({ input: socket })) {
    try {
      const { operation, input }: { operation: string; input: Json } = JSON.parse(line);
      send({ result: await run(operation, input, say) });
    } catch (error) {
      send({ error: error instanceof Error ? error.message : String(error) });
    }
    break;
  }
  socket.end();
};

/** Aborts when the caller disconnects. */
const closed = (socket: Socket): AbortSignal => {
  const gone = new AbortController();
  socket.once('close', () => gone.abort(new Error('the caller has gone')));
  if (socket.destroyed) gone.abort(new Error('the caller has gone'));
  return gone.signal;
};

/** Runs an operation in the server that owns the socket. `null` if no server listens there; rejects with the operation's error. */
export const callControlSocket = (path: string, operation: string, input: Json, say: Say): Promise<{ result: Json } | null> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', (error: NodeJS.ErrnoException) => (isNobodyThere(error) ? resolve(null) : reject(error)));
    socket.once('connect', () => {
      socket.write(`${JSON.stringify({ operation, input })}\n`);
      readAnswers(socket, say).then((result) => resolve({ result }), reject);
    });
  });

const isNobodyThere = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR';

const readAnswers = async (socket: Socket, say: Say): Promise<Json> => {
  for await (const line of createInterface({ input: socket })) {
    const message: Answer = JSON.parse(line);
    if ('error' in message) throw new Error(message.error);
    if ('result' in message) return message.result;
    if ('output' in message) await say.output(message.output);
    else say.progress(message.progress);
  }
  throw new Error('The server ended before it answered.');
};
