import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '../../../domain/credentials/caller.ts';
import { Problem, unavailable } from '../../../domain/problem.ts';
import type { Logger } from '../../../logger.ts';
import { within } from '../../../supervision/within.ts';
import type { OpenAccess } from '../../auth/openAccess.ts';
import type { PresentedCredential } from '../../auth/presentedCredential.ts';
import { problemOf, unauthenticated, unforeseen } from '../../errors/errors.ts';
import { targetOf } from '../../input/target.ts';
import type { RawQuery } from '../../query/rawQuery.ts';
import { correlationOfRequest } from '../../route/correlation.ts';
import type { DocumentedResponse, Route } from '../../route/route.ts';
import type { SocketDeps } from './clientSocket.ts';
import { invalidHandshake, type SocketAdmission, socketOptions } from './socketAdmission.ts';
import { refuseUpgrade, type UpgradeTaker } from './upgrades.ts';

export interface GatewayDeps {
  readonly logger: Logger;
  readonly sockets: SocketAdmission;
  readonly access: Pick<OpenAccess, 'enter'>;
}

/** A handshake whose caller is known and may open a socket. */
export interface Admitted {
  readonly caller: Caller;
  readonly rawQuery: RawQuery;
  readonly correlationId: string;
}

/** The life of one socket. */
interface Session {
  /** Resolves when everything that the session started has ended. Never rejects. */
  run(): Promise<void>;
  /** Ends the session with the reason. */
  fail(problem: Problem): void;
}

/** A gateway on the port: takes the handshakes of its paths, and starts, logs and ends their sessions. */
export abstract class SessionGateway<Deps extends GatewayDeps, Handshake extends Pick<Admitted, 'caller' | 'correlationId'>>
  implements UpgradeTaker
{
  protected readonly deps: Deps & SocketDeps;
  readonly #paths: readonly [string, ...string[]];
  readonly #server: WebSocketServer;
  readonly #running = new Map<Session, Promise<void>>();
  #stopping = false;

  /** `protocolOf`: the answer to the offered subprotocols, which never contains a credential. */
  constructor(deps: Deps, paths: readonly [string, ...string[]], protocolOf: (offered: ReadonlySet<string>) => string | false) {
    this.deps = { ...deps, ...deps.sockets.shared };
    this.#paths = paths;
    this.#server = new WebSocketServer({ ...socketOptions(this.deps.limits), handleProtocols: protocolOf });
    // `ws` would answer other requests with a page.
    this.#server.on('wsClientError', ({ message }, socket) => this.#refuse(socket, invalidHandshake(message)));
  }

  /** Running sessions. */
  get count(): number {
    return this.#running.size;
  }

  /** Accepts no new sessions. Ends the running ones after this many milliseconds; resolves when all have ended. */
  async drain(milliseconds: number): Promise<void> {
    this.#stopping = true;
    const all = Promise.allSettled(this.#running.values());
    await within(this.deps.clock, milliseconds, all);
    for (const session of this.#running.keys()) session.fail(stopping());
    await all;
  }

  /** The credential of a handshake, from any place that a client of this gateway may send it in. */
  protected abstract presented(incoming: IncomingMessage, rawQuery: RawQuery): PresentedCredential;

  /** Reads the rest of a handshake. Rejects with a `Problem` that refuses it. */
  protected abstract handshake(incoming: IncomingMessage, admitted: Admitted, credential: PresentedCredential): Promise<Handshake>;

  protected abstract session(webSocket: WebSocket, connection: Duplex, handshake: Handshake): Session;

  /** Further header lines of the answer. */
  protected headers(_handshake: Handshake): readonly string[] {
    return [];
  }

  /** Whether a request is a WebSocket handshake for one of the paths. A handshake is a GET; another method is refused as on every path. */
  takes({ method, url = '', headers }: IncomingMessage): boolean {
    // Without the query, which would be parsed here and again in `take`.
    const [beforeQuery = ''] = url.split('?', 1);
    return method === 'GET' && this.#paths.includes(targetOf(beforeQuery).path) && headers.upgrade?.toLowerCase() === 'websocket';
  }

  take(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgrade(incoming, socket, head).catch((error: unknown) => this.#refuse(socket, problemOf(error) ?? unforeseen()));
  }

  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { rawQuery } = targetOf(incoming.url ?? '');
    this.#checkOpen();
    const credential = this.presented(incoming, rawQuery);
    const caller = await this.deps.sockets.enter(incoming, socket, credential);
    const { correlationId } = correlationOfRequest(incoming.headers);
    const handshake = await this.handshake(incoming, { caller, rawQuery, correlationId }, credential);
    this.#checkOpen();
    const onHeaders = (lines: string[], answered: IncomingMessage): void => {
      if (answered === incoming) lines.push(...this.headers(handshake));
    };
    this.#server.on('headers', onHeaders);
    try {
      this.#server.handleUpgrade(incoming, socket, head, (webSocket) => {
        const session = this.session(webSocket, socket, handshake);
        this.#running.set(session, this.#run(session, handshake));
      });
    } finally {
      this.#server.off('headers', onHeaders);
    }
  }

  async #run(session: Session, { caller, correlationId }: Handshake): Promise<void> {
    const { access, clock, logger } = this.deps;
    const began = clock.monotonic();
    const leave = access.enter(caller, () => session.fail(unauthenticated('The credential of this session was revoked.')));
    try {
      await session.run();
    } finally {
      leave();
      this.#running.delete(session);
      const { subject, actor } = caller;
      const milliseconds = Math.round(clock.monotonic() - began);
      logger.info({ correlationId, path: this.#paths[0], subject, actor, milliseconds }, 'websocket session');
    }
  }

  #checkOpen(): void {
    if (this.#stopping) throw stopping();
  }

  /** In the shape of errors that clients of the path expect. */
  #refuse(socket: Duplex, problem: Problem): void {
    refuseUpgrade(socket, problem, this.#paths[0]);
  }
}

const stopping = (): Problem => unavailable('The server is stopping. Try again.');

const RESPONSES: Readonly<Record<number, DocumentedResponse>> = {
  101: { description: 'The WebSocket protocol.' },
  401: { description: 'The handshake has no credential or a wrong one.' },
  426: { description: 'The request is not a WebSocket upgrade.', headers: ['Upgrade'] },
  429: { description: 'You have as many open WebSockets as a user may have.' },
};

/** The operation of a path that takes WebSockets. A request without an upgrade is refused with 426. */
export const socketRoute = (route: Pick<Route, 'operationId' | 'tag' | 'path' | 'summary' | 'description' | 'query'>): Route => ({
  ...route,
  method: 'GET',
  access: 'open',
  responses: RESPONSES,
  handle: async () => {
    throw new Problem('GENERAL_BAD_REQUEST_ERROR', 'This path needs the WebSocket protocol. Connect with a WebSocket client.', {
      statusCode: 426,
      title: 'Upgrade required',
      headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
    });
  },
});
