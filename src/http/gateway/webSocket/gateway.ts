import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Problem } from '../../../domain/problem.ts';
import type { OpenAccess } from '../../auth/openAccess.ts';
import { fromAuthorization, type PresentedCredential, presentedCredential } from '../../auth/presentedCredential.ts';
import { correlationOfRequest } from '../../server/correlation.ts';
import { problemOf, unforeseen } from '../../server/errors.ts';
import type { Route } from '../../server/route.ts';
import { rawAnswer } from '../../server/server.ts';
import { targetOf } from '../../server/target.ts';
import { ignoreUpgrade } from './ignoreUpgrade.ts';
import { isHandshake, OpenSessions, socketRoute } from './openSessions.ts';
import { type Handshake, type SessionDeps, SocketSession } from './session.ts';
import { invalidHandshake, SOCKET_OPTIONS, type SocketAdmission } from './socketAdmission.ts';

export interface SocketGatewayDeps extends SessionDeps {
  readonly sockets: SocketAdmission;
  readonly access: Pick<OpenAccess, 'enter'>;
}

/** Another gateway on the same port. */
export interface UpgradeTaker {
  takes(incoming: IncomingMessage): boolean;
  take(incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const PATHS = ['/ws-gateway/api/v1', '/ws-gateway/api/v1/'];
const SCHEMES: readonly string[] = ['bearer', 'basic'];

/** The live WebSocket gateway (`docs/guides/live.md`). */
export class SocketGateway {
  readonly #deps: SocketGatewayDeps;
  readonly sessions: OpenSessions<SocketSession>;
  readonly #sockets = new WebSocketServer({
    ...SOCKET_OPTIONS,
    // Answers with the scheme only, never with the credential.
    handleProtocols: (offered) => [...offered].find((protocol) => SCHEMES.includes(protocol.toLowerCase())) ?? false,
  });

  constructor(deps: SocketGatewayDeps) {
    this.#deps = deps;
    this.sessions = new OpenSessions(deps);
    // `ws` would answer other requests with a page.
    this.#sockets.on('wsClientError', ({ message }, socket) => refuseUpgrade(socket, invalidHandshake(message)));
  }

  /** Accepts WebSocket upgrades on its paths, and passes `other` its own. Any other request is served as if it had offered none. */
  attach(server: Server, other: UpgradeTaker): void {
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (other.takes(incoming)) return other.take(incoming, socket, head);
      if (!isHandshake(incoming, PATHS)) return ignoreUpgrade(server, incoming, socket, head);
      socket.on('error', () => socket.destroy());
      this.#upgrade(incoming, socket, head).catch((error: unknown) => refuseUpgrade(socket, problemOf(error) ?? unforeseen()));
    });
  }

  /** A request without an upgrade. */
  readonly routes: readonly Route[] = PATHS.map((path, index) =>
    socketRoute({
      operationId: index === 0 ? 'openWebSocket' : 'openWebSocketSlash',
      tag: 'Live gateway',
      path,
      summary: 'The WebSocket gateway. It takes the query parameters of an upload.',
      description:
        '`/asyncapi.json` describes the messages. A request without an upgrade is 426. A message has at most 16 MiB (close code 1009) and 16,384 fragments (1008). Messages of more than 256 KiB are received one at a time for each user, each within 60 s (1008); so are all messages of a user whose sockets hold 16 MiB that could not be handled yet. While other users wait for a turn, such a message must arrive at 1 MiB a second, measured over 5 s (1008). A text of more than 1,024 bytes must be the CONFIGURATION. KEEP_ALIVE messages and pings are read at 20 a second, after a burst of 100.',
    }),
  );

  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { rawQuery } = targetOf(incoming.url ?? '');
    this.sessions.checkOpen();
    const caller = await this.#deps.sockets.enter(incoming, socket, () => presented(incoming, rawQuery));
    this.sessions.checkOpen();
    // A credential with its scheme in one value is not a valid list of protocols: `ws` would refuse the handshake.
    if (isCredentialInOne(incoming.headers['sec-websocket-protocol'])) delete incoming.headers['sec-websocket-protocol'];
    this.#sockets.handleUpgrade(incoming, socket, head, (webSocket) => {
      const handshake = { caller, rawQuery, ...handshakeOf(incoming) };
      const guard = this.#deps.sockets.largeMessages.guard(webSocket, socket, caller.subject);
      const session = new SocketSession(webSocket, this.#deps, handshake, guard);
      this.sessions.add(session, caller, this.#log(session, handshake));
    });
  }

  async #log(session: SocketSession, { caller: { subject, actor }, correlationId }: Handshake): Promise<void> {
    const { clock, logger } = this.#deps;
    const began = clock.monotonic();
    await session.run();
    logger.info({ correlationId, subject, actor, milliseconds: Math.round(clock.monotonic() - began) }, 'websocket session');
  }
}

const handshakeOf = ({ headers }: IncomingMessage) => ({
  correlationId: correlationOfRequest(headers).correlationId,
  header: (name: string): string | undefined => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  },
});

/** `Bearer <jwt>`; browsers can only send `Bearer, <jwt>`, which is a list. */
const isCredentialInOne = (protocols: string | undefined): boolean => /^\s*(basic|bearer)\s+[^\s,]/i.test(protocols ?? '');

/** The same order as for every request, with the protocol header between the headers and the query. */
const presented = ({ headers }: IncomingMessage, rawQuery: string): PresentedCredential => {
  const ofHeaders = presentedCredential(headers, '');
  const protocols = headers['sec-websocket-protocol'];
  if (ofHeaders.form !== 'none') return ofHeaders;
  if (protocols !== undefined && /^\s*(basic|bearer)[\s,]/i.test(protocols)) return fromProtocols(protocols);
  return presentedCredential({}, rawQuery);
};

/** `<scheme> <credential>`, or both as a list of two. A third item is ignored. */
const fromProtocols = (protocols: string): PresentedCredential => {
  const list = /^\s*(\S+?)\s*,(.*)$/s.exec(protocols);
  if (!list) return fromAuthorization(protocols);
  const [, scheme = '', rest = ''] = list;
  return /[\s,]\S/.test(scheme + rest.trim()) ? { form: 'malformed' } : fromAuthorization(`${scheme} ${rest}`);
};

/** Answers a handshake with a refusal, in the shape that clients of the path expect. */
export const refuseUpgrade = (socket: Duplex, problem: Problem, path = PATHS[0]): void => {
  if (socket.writable) socket.end(rawAnswer(problem, path), () => socket.destroy());
  else socket.destroy();
};
