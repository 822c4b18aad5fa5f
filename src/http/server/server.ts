import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, Server as TcpServer } from 'node:net';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problem.ts';
import { DEFAULT_LIMITS, type Limits } from '../../limits.ts';
import type { Logger } from '../../logger.ts';
import { urlOf } from '../../serverUrl.ts';
import { within } from '../../supervision/within.ts';
import { answerWhole } from '../answers/answer.ts';
import { badRequest, errorBody, tooSlow, unknownTransferCoding } from '../errors/errors.ts';
import { hasBody } from '../input/body.ts';
import { targetOf } from '../input/target.ts';
import type { ConnectionLimit } from '../limits/connectionLimit.ts';
import { ReceivedBodies } from './receivedBodies.ts';
import type { App } from './runningRequests.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: connections are not limited. */
  readonly connections?: ConnectionLimit;
  readonly limits?: Limits;
  /** Which offers of an upgrade are passed on as `upgrade`. Any other request is served without its offer (RFC 9110, 7.8). Default: none. */
  readonly upgrades?: (incoming: IncomingMessage) => boolean;
}

export interface HttpServer {
  /** For other listeners on the port: the WebSocket gateway handles `upgrade`. */
  readonly server: Server;
  readonly port: number;
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Accepts no new connections, and answers what arrives on open ones with `Connection: close`. Resolves when all are closed, or after this time. */
  leave(milliseconds: number): Promise<void>;
  /** Leaves, and ends idle connections; the others get this many milliseconds. Resolves when all handlers have ended. */
  drain(milliseconds: number): Promise<void>;
}

const MAX_HEADER_LINES = 200;
/** Each is decoded several times. An upload may have 1,000 patches, and all parameters that are documented. */
const MAX_PARAMETERS = 2_000;
const KEEP_ALIVE_MILLISECONDS = 65_000;

/** Starts the HTTP server. Rejects if it cannot listen on the address. */
export const listen = async (
  app: App,
  { host, port, clock, logger, connections, limits = DEFAULT_LIMITS, upgrades = () => false }: ListenOptions,
): Promise<HttpServer> => {
  const handler = new ConnectionHandler(app, { clock, connections, limits });
  const server = createServer({
    shouldUpgradeCallback: upgrades,
    maxHeaderSize: limits.headerMaxBytes,
    headersTimeout: limits.headersTimeoutS * 1_000,
    // A large upload may take any time. `ReceivedBodies` ends a silent one.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    connectionsCheckingInterval: 5_000,
    // Refused here, in the same form as other refusals.
    requireHostHeader: false,
  });
  // Node ignores further ones, also a second Host.
  server.maxHeadersCount = MAX_HEADER_LINES + 1;
  server.on('connection', (socket: Socket) => handler.connected(socket));
  server.on('request', (incoming, outgoing) => handler.requested(incoming, outgoing));
  server.on('checkContinue', (incoming, outgoing) => {
    continueWhenRead(incoming, outgoing);
    handler.requested(incoming, outgoing);
  });
  server.on('checkExpectation', (incoming, outgoing) =>
    handler.requested(incoming, outgoing, { problem: badRequest('The only Expect value supported is 100-continue.'), status: 417 }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => handler.malformed(error, socket));
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', (error) => logger.error({ err: error }, 'the HTTP server failed'));
  // A TCP server's address has this form.
  const address = server.address() as AddressInfo;
  return { server, port: address.port, url: urlOf(host, address.port), ...handler.ending(server) };
};

/** Listens on the address briefly. Rejects if that fails. */
export const checkAddress = async ({ host, port }: Pick<ListenOptions, 'host' | 'port'>): Promise<void> => {
  const server = createTcpServer().listen(port, host);
  await once(server, 'listening');
  await new Promise((resolve) => server.close(resolve));
};

/** Names and values alternate. */
const hasManyHeaderLines = (rawHeaders: readonly string[]): boolean => rawHeaders.length > 2 * MAX_HEADER_LINES;

const headersTooLarge = (message: string): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', message, { statusCode: 431, title: 'Headers too large' });

/** Node drops lines beyond a limit, and they may be those that say where the body ends. */
const headerLinesProblem = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Problem | null =>
  hasManyHeaderLines(rawHeaders) ? headersTooLarge(`The request has more than ${MAX_HEADER_LINES} header lines. Send fewer.`) : null;

const hasManyParameters = (url: string): boolean => {
  let count = 1;
  for (let at = url.indexOf('&', url.indexOf('?')); at >= 0 && count <= MAX_PARAMETERS; at = url.indexOf('&', at + 1)) count += 1;
  return count > MAX_PARAMETERS;
};

/** The reason to refuse a request that Node's parser accepts: HTTP/1.1 forbids it, or reading it takes too long. `null` if it is fine. */
export const framingProblem = (incoming: IncomingMessage): Problem | null => {
  const { headers, rawHeaders, httpVersion, url = '' } = incoming;
  const tooMany = headerLinesProblem(incoming);
  if (tooMany) return tooMany;
  if (hasManyParameters(url)) return badRequest(`The query has more than ${MAX_PARAMETERS} parameters. Send fewer.`);
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts === 0 && httpVersion === '1.1') return badRequest('The Host header is missing.');
  if (hosts > 1) return badRequest(`The request has ${hosts} Host headers. Send one.`);
  const coding = headers['transfer-encoding']?.trim().toLowerCase();
  return coding === undefined || coding === 'chunked' ? null : unknownTransferCoding();
};

interface Refusal {
  readonly problem: Problem;
  readonly status: number;
}

interface HandlerDeps {
  readonly clock: Clock;
  readonly connections: ConnectionLimit | undefined;
  readonly limits: Limits;
}

/** Passes requests to the app until the server drains, and answers malformed ones itself. */
class ConnectionHandler {
  readonly #app: App;
  readonly #deps: HandlerDeps;
  /** The last answer of each open connection. */
  readonly #answering = new Map<Socket, ServerResponse>();
  /** Open connections without a request so far. Browsers and `fetch` open some in advance, and Node does not count them as idle. */
  readonly #unused = new Set<Socket>();
  readonly #receiving: ReceivedBodies;
  #leaving = false;

  constructor(app: App, deps: HandlerDeps) {
    this.#app = app;
    this.#deps = deps;
    this.#receiving = new ReceivedBodies(deps.clock, deps.limits);
  }

  connected(socket: Socket): void {
    this.#unused.add(socket);
    socket.once('close', () => {
      this.#answering.delete(socket);
      this.#unused.delete(socket);
    });
    const problem = this.#deps.connections?.connected(socket);
    if (problem) socket.end(rawAnswer(problem), () => socket.destroy());
  }

  /** `refusal`: the answer to a request that is refused whatever it asks for. */
  requested(incoming: IncomingMessage, outgoing: ServerResponse, refusal?: Refusal): void {
    this.#answering.set(incoming.socket, outgoing);
    this.#unused.delete(incoming.socket);
    const problem = framingProblem(incoming);
    if (this.#leaving) closeAfter(outgoing);
    if (problem) refuse(incoming, outgoing, problem);
    else if (refusal) refuse(incoming, outgoing, refusal.problem, refusal.status);
    else {
      if (hasBody(incoming)) this.#receiving.add(incoming);
      this.#app(incoming, outgoing);
    }
  }

  /** Not HTTP, or too large or too slow. An answer that has begun is not changed. */
  malformed(error: NodeJS.ErrnoException, socket: Socket): void {
    const outgoing = this.#answering.get(socket);
    const begun = outgoing?.headersSent === true && !outgoing.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || begun) socket.destroy();
    else socket.end(rawAnswer(malformedProblem(error.code, this.#deps.limits)), () => socket.destroy());
  }

  ending(server: Server): Pick<HttpServer, 'leave' | 'drain'> {
    const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
    return {
      leave: async (milliseconds) => {
        this.#leave(server);
        await within(this.#deps.clock, milliseconds, closed);
      },
      drain: (milliseconds) => this.#drain(server, closed, milliseconds),
    };
  }

  #leave(server: Server): void {
    this.#leaving = true;
    this.#answering.forEach(closeAfter);
    // The method of an HTTP server also ends idle connections, on which a request may be on its way.
    TcpServer.prototype.close.call(server);
  }

  async #drain(server: Server, closed: Promise<void>, milliseconds: number): Promise<void> {
    this.#leave(server);
    server.closeIdleConnections();
    for (const socket of this.#unused) if (socket.bytesRead === 0) socket.destroy();
    await within(this.#deps.clock, milliseconds, closed);
    this.#receiving.breakOff();
    server.closeAllConnections();
    await this.#app.settled();
  }
}

const closeAfter = (outgoing: ServerResponse): void => {
  if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
};

const refuse = (incoming: IncomingMessage, outgoing: ServerResponse, problem: Problem, status = problem.statusCode): void => {
  const body = errorBody(problem, targetOf(incoming.url ?? '').path, status);
  answerWhole(outgoing, { status, body, headers: { ...problem.headers, Connection: 'close' } });
};

const malformedProblem = (code: string | undefined, { headerMaxBytes }: Limits): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(`The request line and headers exceed ${headerMaxBytes} bytes.`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow();
  return badRequest('Malformed HTTP/1.1 request.');
};

/** The whole answer as bytes of HTTP, for a connection without a Node request. */
export const rawAnswer = (problem: Problem, path = ''): string => {
  const body = JSON.stringify(errorBody(problem, path));
  const { statusCode, headers } = problem;
  return [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? 'Error'}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
};

/** Sends "100 Continue" when something begins to read the body, so that a refusal saves the client the upload. */
const continueWhenRead = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    incoming.off('newListener', onListener);
    if (!outgoing.headersSent) outgoing.writeContinue();
  };
  incoming.on('newListener', onListener);
};
