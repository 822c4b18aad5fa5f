import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../clock.ts';
import type { Caller } from '../../../domain/credentials/caller.ts';
import { Problem, unavailable } from '../../../domain/problem.ts';
import { within } from '../../../supervision/within.ts';
import type { OpenAccess } from '../../auth/openAccess.ts';
import { unauthenticated } from '../../errors/errors.ts';
import { targetOf } from '../../input/target.ts';
import type { DocumentedResponse, Route } from '../../route/route.ts';

interface Session {
  /** Ends the session with the reason. */
  fail(problem: Problem): void;
}

/** The running sessions of a gateway, until the server stops. */
export class OpenSessions<S extends Session> {
  readonly #clock: Clock;
  readonly #access: Pick<OpenAccess, 'enter'>;
  readonly #running = new Map<S, Promise<void>>();
  #stopping = false;

  constructor({ clock, access }: { readonly clock: Clock; readonly access: Pick<OpenAccess, 'enter'> }) {
    this.#clock = clock;
    this.#access = access;
  }

  get count(): number {
    return this.#running.size;
  }

  /** `run` is the session's whole life. It never rejects. */
  add(session: S, caller: Caller, run: Promise<void>): void {
    const leave = this.#access.enter(caller, () => session.fail(unauthenticated('The credential of this session was revoked.')));
    const running = run.finally(() => {
      leave();
      this.#running.delete(session);
    });
    this.#running.set(session, running);
  }

  /** Throws 503 once the server is stopping. */
  checkOpen(): void {
    if (this.#stopping) throw unavailable('The server is stopping. Try again.');
  }

  /** Accepts no new sessions. Ends the running ones after this many milliseconds; resolves when all have ended. */
  async drain(milliseconds: number): Promise<void> {
    this.#stopping = true;
    const all = Promise.allSettled(this.#running.values());
    await within(this.#clock, milliseconds, all);
    for (const session of this.#running.keys()) session.fail(unavailable('The server is stopping. Try again.'));
    await all;
  }
}

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

/** Whether a request is a WebSocket handshake for one of these paths. A handshake is a GET; another method is refused as on every path. */
export const isHandshake = ({ method, url, headers }: IncomingMessage, paths: readonly string[]): boolean =>
  method === 'GET' && paths.includes(targetOf(url ?? '').path) && headers.upgrade?.toLowerCase() === 'websocket';
