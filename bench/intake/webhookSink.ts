import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Accepts webhooks and counts them. */
export interface WebhookSink {
  readonly url: string;
  readonly received: number;
  /** Resolves when this many have arrived. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

export const openWebhookSink = async (): Promise<WebhookSink> => {
  let received = 0;
  let waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    incoming.resume().once('end', () => {
      outgoing.writeHead(204).end();
      received += 1;
      for (const { resolve } of waiting.filter(({ count }) => count <= received)) resolve();
      waiting = waiting.filter(({ count }) => count > received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address has this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    get received() {
      return received;
    },
    until: (count) => (count <= received ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
