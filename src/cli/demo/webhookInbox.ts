import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type Tributary, verifyWebhook, type WebhookEvent } from '#client';
import { heading, say } from './say.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const ARRIVAL_MILLISECONDS = 5_000;

export class WebhookInbox {
  readonly #server: Server;
  readonly #received: Received[] = [];
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.#received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(204).end();
      });
    });
  }

  static async open(): Promise<WebhookInbox> {
    const inbox = new WebhookInbox();
    await new Promise<void>((resolve) => inbox.#server.listen(0, '127.0.0.1', resolve));
    const address = inbox.#server.address();
    if (address !== null && typeof address === 'object') inbox.#port = address.port;
    return inbox;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/webhooks`;
  }

  /** The received webhooks in log order, each with whether its signature is valid. Waits briefly for the end of the stream. */
  async show(tributary: Tributary): Promise<void> {
    const deadline = Date.now() + ARRIVAL_MILLISECONDS;
    while (!this.#received.some(isEnd) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
    const { data } = await tributary.http.GET('/notification-service/api/v1/webhook-endpoints/account-secret');
    heading('Webhooks received');
    const position = ({ headers }: Received): string => `${headers['webhook-position']} ${headers['webhook-sequence']}`;
    for (const one of [...this.#received].sort((a, b) => (position(a) < position(b) ? -1 : 1))) {
      const { type, timestamp } = eventOf(one);
      say(
        `  ${new Date(timestamp).toISOString()}  ${type.padEnd(20)} ${(await isSigned(one, data?.secret ?? '')) ? 'signature fits' : 'WRONG SIGNATURE'}`,
      );
    }
    if (this.#received.length === 0) say('  No webhooks received. The server log says why.');
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** The server's own body, in the documented shape. */
const eventOf = ({ body }: Received): WebhookEvent => JSON.parse(body) as WebhookEvent;

const isEnd = (received: Received): boolean => /^stream\.(completed|failed)$/.test(eventOf(received).type);

const isSigned = ({ headers, body }: Received, secret: string): Promise<boolean> =>
  verifyWebhook({ headers, body, secret }).then(
    () => true,
    () => false,
  );
