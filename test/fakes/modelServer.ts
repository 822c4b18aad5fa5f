import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The server's fault for one request. */
/** `holdAfter`: sends this many bytes and then nothing until `cut` is called. `cut`: disconnects before the first byte. */
export type Fault =
  | { readonly holdAfter: number }
  | { readonly cut: true }
  | { readonly status: number }
  | { readonly redirectTo: string }
  | { readonly endless: true };

/** A loopback MODELS_URL: files by `<name>/<file>`, byte ranges, and faults used in order, one per request for the file. */
export class ModelServer {
  readonly files = new Map<string, Buffer>();
  readonly faults = new Map<string, Fault[]>();
  /** `<name>/<file> <range or whole>` of each request. */
  readonly requests: string[] = [];
  readonly #held: ServerResponse[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Cuts the held connections. */
  cut(): void {
    for (const response of this.#held.splice(0)) response.destroy();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    this.requests.push(`${path} ${request.headers.range ?? 'whole'}`);
    const content = this.files.get(path);
    const fault = this.faults.get(path)?.shift();
    if (content === undefined) return void response.writeHead(404).end();
    if (fault !== undefined && 'status' in fault) return void response.writeHead(fault.status).end();
    if (fault !== undefined && 'endless' in fault) return void this.#endless(response);
    if (fault !== undefined && 'redirectTo' in fault) return void response.writeHead(302, { location: fault.redirectTo }).end();
    if (fault !== undefined && 'cut' in fault) return void response.destroy();
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from > 0 && from >= content.length) return void response.writeHead(416).end();
    const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': content.length - from, ...(from > 0 ? range : {}) });
    if (fault === undefined) return void response.end(content.subarray(from));
    response.write(content.subarray(from, from + fault.holdAfter));
    this.#held.push(response);
  }

  #endless(response: ServerResponse): void {
    response.writeHead(200);
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', write);
    write();
  }
}
