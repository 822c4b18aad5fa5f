import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { fromAuthorization, type PresentedCredential, presentedCredential } from '../../auth/presentedCredential.ts';
import type { RawQuery } from '../../query/rawQuery.ts';
import type { Route } from '../../route/route.ts';
import { type Handshake, type SessionDeps, SocketSession } from './session.ts';
import { type Admitted, type GatewayDeps, SessionGateway, socketRoute } from './sessionGateway.ts';

export interface LiveGatewayDeps extends SessionDeps, GatewayDeps {}

const PATHS = ['/ws-gateway/api/v1', '/ws-gateway/api/v1/'] as const;
const SCHEMES: readonly string[] = ['bearer', 'basic'];

/** The live WebSocket gateway (`docs/guides/live.md`). */
export class LiveGateway extends SessionGateway<LiveGatewayDeps, Handshake> {
  constructor(deps: LiveGatewayDeps) {
    // Answers with the scheme only, never with the credential.
    super(deps, PATHS, (offered) => [...offered].find((protocol) => SCHEMES.includes(protocol.toLowerCase())) ?? false);
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

  /** The same order as for every request, with the protocol header between the headers and the query. */
  protected presented({ headers }: IncomingMessage, rawQuery: RawQuery): PresentedCredential {
    const ofHeaders = presentedCredential(headers);
    const protocols = headers['sec-websocket-protocol'];
    if (ofHeaders.form !== 'none') return ofHeaders;
    if (protocols !== undefined && /^\s*(basic|bearer)[\s,]/i.test(protocols)) return fromProtocols(protocols);
    return presentedCredential({}, rawQuery);
  }

  protected async handshake({ headers }: IncomingMessage, admitted: Admitted): Promise<Handshake> {
    // A credential with its scheme in one value is not a valid list of protocols: `ws` would refuse the handshake.
    if (isCredentialInOne(headers['sec-websocket-protocol'])) delete headers['sec-websocket-protocol'];
    const header = (name: string): string | undefined => {
      const value = headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    return { ...admitted, header };
  }

  protected session(webSocket: WebSocket, connection: Duplex, handshake: Handshake): SocketSession {
    return new SocketSession(webSocket, connection, this.deps, handshake);
  }
}

/** `Bearer <jwt>`; browsers can only send `Bearer, <jwt>`, which is a list. */
const isCredentialInOne = (protocols: string | undefined): boolean => /^\s*(basic|bearer)\s+[^\s,]/i.test(protocols ?? '');

/** `<scheme> <credential>`, or both as a list of two. A third item is ignored. */
const fromProtocols = (protocols: string): PresentedCredential => {
  const list = /^\s*(\S+?)\s*,(.*)$/s.exec(protocols);
  if (!list) return fromAuthorization(protocols);
  const [, scheme = '', rest = ''] = list;
  return /[\s,]\S/.test(scheme + rest.trim()) ? { form: 'malformed' } : fromAuthorization(`${scheme} ${rest}`);
};
