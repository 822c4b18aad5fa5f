import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A request that a receiver got. */
export class ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at = performance.now();

  constructor(path: string, headers: IncomingHttpHeaders, body: string) {
    this.path = path;
    this.headers = headers;
    this.body = body;
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked by assertions, which fail on a wrong shape
  get event(): any {
    return JSON.parse(this.body);
  }

  /** Like a receiver with the `standardwebhooks` package: throws if the signature does not match. */
  // biome-ignore lint/suspicious/noExplicitAny: as `event`
  verified(secret: string): any {
    const headers = Object.fromEntries(Object.entries(this.headers).map(([name, value]) => [name, String(value)]));
    return new Webhook(secret).verify(this.body, headers);
  }
}

export type Answering = (received: ReceivedWebhook, response: ServerResponse, request: IncomingMessage) => void;

/** A webhook receiver on loopback. Answers 204 unless a path has another answer. */
export class Receiver {
  readonly #server: Server;
  readonly #answering = new Map<string, Answering>();
  readonly received: ReceivedWebhook[] = [];

  private constructor(keeps: boolean) {
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const webhook = new ReceivedWebhook(request.url ?? '', request.headers, Buffer.concat(chunks).toString());
        if (keeps) this.received.push(webhook);
        const answer = this.#answering.get(webhook.path);
        if (answer) answer(webhook, response, request);
        else response.writeHead(204).end();
      });
    });
    this.#server.on('connection', (socket) => socket.setNoDelay(true));
  }

  /** `keeps: false` drops the webhooks, for tests with too many to keep. */
  static async start(port = 0, { keeps = true } = {}): Promise<Receiver> {
    const receiver = new Receiver(keeps);
    await new Promise<void>((resolve) => receiver.#server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  answer(path: string, answering: Answering): void {
    this.#answering.set(path, answering);
  }

  /** Answers with only a status. */
  answerStatus(path: string, status: number, headers: Record<string, string> = {}): void {
    this.answer(path, (_, response) => response.writeHead(status, headers).end());
  }

  at(path: string): ReceivedWebhook[] {
    return this.received.filter((webhook) => webhook.path === path);
  }

  types(path: string): string[] {
    return this.at(path).map(({ event }) => event.type);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
