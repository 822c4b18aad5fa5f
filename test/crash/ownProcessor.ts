import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call } from '../e2e/client.ts';

const BASE = '/stream-configuration-service/api/v1';
/** The stage's id in the template. */
export const OWN_STAGE = 'own';

/** A user's own processor that outlives the server and returns what it gets, with a template whose only stage it is. */
export class OwnProcessor {
  readonly templateId: string;
  readonly #server: Server;

  private constructor(server: Server, templateId: string) {
    this.#server = server;
    this.templateId = templateId;
  }

  static async start(url: string): Promise<OwnProcessor> {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      // The platform may be killed in the middle.
      request.on('error', () => response.destroy()).pipe(response.on('error', () => undefined));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A listening server has a port.
    const { port } = server.address() as AddressInfo;
    const kind = { mode: 'live', inputSchema: 'bytes', outputSchema: 'bytes', limits: { concurrency: 64 } };
    const { id } = await asked(url, 'processor-declarations', { name: 'load', url: `http://127.0.0.1:${port}/`, ...kind });
    const processors = [{ id: OWN_STAGE, processorDeclarationId: id, egress: { sink: true } }];
    const template = await asked(url, 'stream-configuration-templates', { name: 'load', dataSourceSchema: 'bytes', processors });
    return new OwnProcessor(server, template.id);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const asked = async (url: string, path: string, body: object): Promise<{ id: string }> => {
  const answer = await call(url, `${BASE}/${path}`, { method: 'PUT', body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};
