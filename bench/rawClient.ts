import { connect, type Socket } from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** One request after another on one connection. Supports only answers with a Content-Length, so that it costs less than a server. */
class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answered: { resolve: (status: number) => void; reject: (error: Error) => void } | null = null;

  constructor(url: URL) {
    this.#socket = connect(Number(url.port), url.hostname).setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#answered?.reject(error));
    this.#socket.on('close', () => this.#answered?.reject(new Error('the server closed the connection')));
  }

  /** Resolves with the status when the whole answer has arrived. */
  ask(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answered = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#answered = null;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const head = this.#received.indexOf(END_OF_HEAD);
    if (head < 0) return;
    const text = this.#received.toString('latin1', 0, head);
    const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1]);
    if (Number.isNaN(length)) throw new Error(`an answer without length:\n${text}`);
    if (this.#received.length < head + END_OF_HEAD.length + length) return;
    this.#received = Buffer.alloc(0);
    const answered = this.#answered;
    this.#answered = null;
    answered?.resolve(Number(text.slice(9, 12)));
  }
}

const tailOf = ({ host }: URL, headers: Readonly<Record<string, string>>): string =>
  ['', ...Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');

/** Gets all paths over `connections` connections and returns their rate. Every answer must be 200. */
export const getAll = async (
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  connections: number,
): Promise<number> => {
  const address = new URL(url);
  const tail = tailOf(address, headers);
  let next = 0;
  const open = Array.from({ length: connections }, () => new RawConnection(address));
  const start = performance.now();
  const client = async (connection: RawConnection) => {
    while (next < paths.length) {
      const path = paths[next];
      next += 1;
      const status = await connection.ask(`GET ${path} HTTP/1.1${tail}`);
      if (status !== 200) throw new Error(`${path}: ${status}`);
    }
  };
  await Promise.all(open.map(client));
  const rate = (paths.length / (performance.now() - start)) * 1000;
  for (const connection of open) connection.close();
  return rate;
};

/** Requests that run beside other work. */
export interface Pacing {
  readonly connections: number;
  /** Pause between an answer and the next request on its connection. */
  readonly pauseMilliseconds: number;
  readonly until: Promise<unknown>;
}

/** Gets the paths in turn until `until` settles, and returns each duration (milliseconds). Every answer must be 200. */
export const getDuring = async (
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  { connections, pauseMilliseconds, until }: Pacing,
): Promise<number[]> => {
  const address = new URL(url);
  const tail = tailOf(address, headers);
  const took: number[] = [];
  let over = false;
  const ended = until.finally(() => {
    over = true;
  });
  let next = 0;
  const client = async (): Promise<void> => {
    const connection = new RawConnection(address);
    while (!over) {
      const path = paths[next++ % paths.length];
      const began = performance.now();
      const status = await connection.ask(`GET ${path} HTTP/1.1${tail}`);
      took.push(performance.now() - began);
      if (status !== 200) throw new Error(`${path}: ${status}`);
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
    connection.close();
  };
  await Promise.all([ended, ...Array.from({ length: connections }, client)]);
  return took;
};
