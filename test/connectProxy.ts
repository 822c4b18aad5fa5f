import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy on loopback that opens tunnels (CONNECT). It resolves any name to 127.0.0.1. */
export class ConnectProxy {
  readonly #server = createServer((_, response) => response.writeHead(405).end());
  readonly #sockets = new Set<Socket>();
  /** `<host>:<port> <proxy-authorization>` of each tunnel asked for. */
  readonly tunnels: string[] = [];
  /** `User-Agent` of those requests. */
  readonly userAgents: (string | undefined)[] = [];
  /** Status of the answer to CONNECT. */
  status = 200;

  static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    const server = proxy.#server;
    server.on('connection', (socket) => proxy.#keep(socket));
    server.on('connect', (request, socket) => {
      socket.on('error', () => undefined);
      proxy.tunnels.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      proxy.userAgents.push(request.headers['user-agent']);
      if (proxy.status !== 200) {
        socket.end(`HTTP/1.1 ${proxy.status} No\r\n\r\n`);
        return;
      }
      const target = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      proxy.#keep(target);
      target.on('error', () => socket.end('HTTP/1.1 502 Bad gateway\r\n\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
  }
}
