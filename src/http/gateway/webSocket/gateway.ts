import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { OpenAccess } from '../../auth/openAccess.ts';
import { fromAuthorization, type PresentedCredential, presentedCredential } from '../../auth/presentedCredential.ts';
import { problemOf, unforeseen } from '../../errors/errors.ts';
import { targetOf } from '../../input/target.ts';
import type { RawQuery } from '../../query/rawQuery.ts';
import { correlationOfRequest } from '../../route/correlation.ts';
import type { Route } from '../../route/route.ts';
import type { SocketDeps } from './clientSocket.ts';
import { isHandshake, OpenSessions, socketRoute } from './openSessions.ts';
import { type Handshake, type SessionDeps, SocketSession } from './session.ts';
import { invalidHandshake, type SocketAdmission, socketOptions } from './socketAdmission.ts';
import { refuseUpgrade, type UpgradeTaker } from './upgrades.ts';

export interface SocketGatewayDeps extends SessionDeps {
  readonly sockets: SocketAdmission;
  readonly access: Pick<OpenAccess, 'enter'>;
}

const PATHS = ['/ws-gateway/api/v1', '/ws-gateway/api/v1/'];
const SCHEMES: readonly string[] = ['bearer', 'basic'];

/** The live WebSocket gateway (`docs/guides/live.md`). */
export class SocketGateway implements UpgradeTaker {
  readonly #deps: SocketGatewayDeps & SocketDeps;
  readonly sessions: OpenSessions<SocketSession>;
  readonly #sockets: WebSocketServer;

  constructor(deps: SocketGatewayDeps) {
    this.#deps = { ...deps, ...deps.sockets.shared };
    this.sessions = new OpenSessions(deps);
    this.#sockets = new WebSocketServer({
      ...socketOptions(this.#deps.limits),
      // Answers with the scheme only, never with the credential.
      handleProtocols: (offered) => [...offered].find((protocol) => SCHEMES.includes(protocol.toLowerCase())) ?? false,
    });
    // `ws` would answer other requests with a page.
    this.#sockets.on('wsClientError', ({ message }, socket) => refuseUpgrade(socket, invalidHandshake(message)));
  }

  takes(incoming: IncomingMessage): boolean {
    return isHandshake(incoming, PATHS);
  }

  take(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgrade(incoming, socket, head).catch((error: unknown) => refuseUpgrade(socket, problemOf(error) ?? unforeseen()));
  }

  /** A request without an upgrade. */
  readonly routes: readonly Route[] = PATHS.map((path, index) =>
    socketRoute({
      operationId: index === 0 ? 'openWebSocket' : 'openWebSocketSlash',
      tag: 'Live gateway',
      path,
      summary: 'The WebSocket gateway. It takes the query parameters of an upload.',
      description:
        '`/asyncapi.json` describes the messages. A request without an upgrade is 426. A message above SOCKET_MESSAGE_MAX_BYTES (16 MiB) closes with 1009, more than SOCKET_CONTROL_MESSAGES (100) KEEP_ALIVE, CONFIGURATION and ping messages in 10 seconds with 1008. A client that sends faster than its data are stored is read more slowly. If what your sockets and requests hold exceeds MEMORY_PER_USER_MIB, the session ends with an ERROR.',
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
      const session = new SocketSession(webSocket, socket, this.#deps, handshake);
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
const presented = ({ headers }: IncomingMessage, rawQuery: RawQuery): PresentedCredential => {
  const ofHeaders = presentedCredential(headers);
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
