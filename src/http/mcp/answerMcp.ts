import type { IncomingMessage } from 'node:http';
import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { ApiRequest, ApiResponse } from '../route/route.ts';
import { OwnApi } from './ownApi.ts';
import { TOOLS } from './tools.ts';
import { endedStream, textOf } from './transcripts.ts';

export interface McpDeps {
  readonly version: string;
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now'>;
}

/** Answers one message, with a server of its own. */
export const answerMcp = async (deps: McpDeps, request: ApiRequest): Promise<ApiResponse> => {
  const { incoming, body, place, signal } = request;
  // From here on it waits for its calls of the API, which take places of their own.
  place.leave();
  const handler = createMcpHandler(() => serverFor(new OwnApi(request), deps), {
    maxSubscriptions: 0,
    onerror: ({ message }) => deps.logger.warn({ reason: message }, 'mcp message refused'),
  });
  const headers = Object.entries({ ...incoming.headers, accept: acceptOf(incoming) }).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && PASSED_ON.test(name) ? [[name, value]] : [],
  );
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const response = await handler.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(body), signal }), {
    parsedBody: body,
  });
  const { status } = response;
  return response.body
    ? { status, contentType: response.headers.get('content-type') ?? 'application/json', chunks: response.body }
    : { status };
};

const PASSED_ON = /^(accept|content-type|mcp-.*|last-event-id)$/;

/** The SDK wants both types by name, also of a client that accepts everything. */
const acceptOf = ({ headers: { accept = '*/*' } }: IncomingMessage): string =>
  accept.includes('*/*') ? 'application/json, text/event-stream' : accept;

const serverFor = (api: OwnApi, { version, clock }: McpDeps): McpServer => {
  const server = new McpServer({ name: 'tributary', title: 'Tributary', version });
  for (const register of TOOLS) register(server, api, clock);
  server.registerResource(
    'transcript',
    new ResourceTemplate('transcript://{streamId}', { list: undefined }),
    { title: 'Transcript', description: 'The text of a stream that has ended.', mimeType: 'text/plain' },
    async ({ href }, { streamId }) => {
      const id = String(streamId);
      await endedStream(api, id);
      return { contents: [{ uri: href, mimeType: 'text/plain', text: await textOf(api, id) }] };
    },
  );
  return server;
};
