import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * - `pass`: like a direct connection;
 * - `hold`: connections stay and new ones are accepted, but no data pass: the server is silent. Held data arrive when it passes again;
 * - `drop`: every connection is reset, new ones at once;
 * - `refuse`: every connection is reset, and new ones are refused.
 */
export type ProxyMode = 'pass' | 'hold' | 'drop' | 'refuse';

export interface TcpProxy {
  /** Of 127.0.0.1; stays the same. */
  readonly port: number;
  /** Open connections. */
  readonly connections: number;
  become(mode: ProxyMode): Promise<void>;
  /** Closes every connection as a server does that stops, the oldest first. New ones pass. */
  end(): void;
  close(): Promise<void>;
}

/** A proxy between a client and the server at `port` of `host` (127.0.0.1), to simulate a bad network. */
export const openTcpProxy = async (target: { readonly port: number; readonly host?: string }): Promise<TcpProxy> => {
  let mode: ProxyMode = 'pass';
  const pairs = new Set<readonly [Socket, Socket]>();
  const reset = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
    pairs.clear();
  };
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (mode === 'drop' || mode === 'refuse') return void client.resetAndDestroy();
    const upstream = connect(target.port, target.host ?? '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('error', () => to.destroy());
      from.on('data', (bytes: Buffer) => void to.write(bytes));
      from.on('end', () => to.end());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      if (mode === 'hold') from.pause();
    }
  });
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const become = async (next: ProxyMode): Promise<void> => {
    const before = mode;
    mode = next;
    if (next === 'drop' || next === 'refuse') reset();
    for (const pair of pairs) for (const socket of pair) next === 'hold' ? socket.pause() : socket.resume();
    if (next === 'refuse' && before !== 'refuse') await closed(server);
    if (next !== 'refuse' && before === 'refuse') await listen(server, port);
  };
  return {
    port,
    get connections() {
      return pairs.size;
    },
    become,
    end: () => {
      for (const [client] of pairs) client.end();
    },
    close: () => become('refuse'),
  };
};

const listen = async (server: Server, port: number): Promise<void> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
};

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
