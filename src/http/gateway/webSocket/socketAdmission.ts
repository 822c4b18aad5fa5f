import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../clock.ts';
import type { Caller } from '../../../domain/credentials/caller.ts';
import { limitReached, Problem } from '../../../domain/problem.ts';
import type { Limits } from '../../../limits.ts';
import type { KeptBytes } from '../../../projections/keptBytes.ts';
import type { DiskSpace } from '../../../stores/diskSpace.ts';
import type { Authentication } from '../../auth/authentication.ts';
import type { PresentedCredential } from '../../auth/presentedCredential.ts';
import { OpenCounter } from '../../limits/connectionLimit.ts';
import type { MemoryBudget } from '../../limits/memoryBudget.ts';
import { type AdmitCommand, checkRoom } from '../../route/admission.ts';
import { framingProblem } from '../../server/server.ts';
import type { SocketDeps } from './clientSocket.ts';
import { MessageRate } from './messageRate.ts';

/** How long a client has to answer a close frame. */
const CLOSING_MILLISECONDS = 5_000;

/** The options of every gateway's sockets. `ws` closes with 1009 above `maxPayload`, and with 1008 above 16,384 fragments. */
export const socketOptions = ({ socketMessageMaxBytes }: Pick<Limits, 'socketMessageMaxBytes'>) => ({
  noServer: true,
  maxPayload: socketMessageMaxBytes,
  perMessageDeflate: false,
  // One message per turn of the event loop, so that a flood of tiny frames on one socket does not delay the others.
  allowSynchronousEvents: false,
  closeTimeout: CLOSING_MILLISECONDS,
});

export interface SocketAdmissionDeps {
  readonly clock: Clock;
  readonly authentication: Authentication;
  readonly disk: DiskSpace;
  readonly keptBytes: Pick<KeptBytes, 'check'>;
  readonly memory: MemoryBudget;
  readonly limits: Limits;
  /** Asked at every handshake. */
  readonly admit: AdmitCommand;
}

/** The checks and limits of a handshake that do not depend on the socket's purpose. One object for all gateways of a server. */
export class SocketAdmission {
  readonly #deps: SocketAdmissionDeps;
  readonly #open: OpenCounter;
  /** For the sockets of all gateways. */
  readonly shared: SocketDeps;

  constructor(deps: SocketAdmissionDeps) {
    const { clock, limits, memory } = deps;
    this.#deps = deps;
    this.#open = new OpenCounter(limits.maxSocketsPerUser);
    this.shared = { clock, limits, memory, rate: new MessageRate(limits, clock) };
  }

  /** The user of the socket, for whom it counts until it closes. Rejects with a `Problem`: 400, 401, 426, 429, 503. */
  async enter(incoming: IncomingMessage, socket: Duplex, presented: PresentedCredential): Promise<Caller> {
    const { authentication, disk, keptBytes, admit, limits } = this.#deps;
    const problem = framingProblem(incoming) ?? bodyProblem(incoming) ?? versionProblem(incoming);
    if (problem) throw problem;
    const caller = await authentication.check(presented, incoming);
    checkRoom(disk);
    await keptBytes.check(caller.subject);
    admit(caller);
    const leave = this.#open.enter(caller.subject);
    if (!leave) throw tooManySockets(limits.maxSocketsPerUser);
    if (socket.destroyed) leave();
    else socket.once('close', leave);
    return caller;
  }
}

const tooManySockets = (limit: number): Problem => limitReached(`You have ${limit} open WebSockets already. Close one and try again.`, 5);

const SUPPORTED_VERSION = { 'Sec-WebSocket-Version': '13' };

/** The bytes of a body would be read as frames. HTTP/1.0 has no upgrades. */
const bodyProblem = ({ headers, httpVersion }: IncomingMessage): Problem | null => {
  if (httpVersion === '1.0') return invalidHandshake('it needs HTTP/1.1');
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return hasBody ? invalidHandshake('it must have no body') : null;
};

/** RFC 6455, 4.4: 426 names the supported version. */
const versionProblem = ({ headers }: IncomingMessage): Problem | null =>
  headers['sec-websocket-version'] === '13'
    ? null
    : new Problem('GENERAL_BAD_REQUEST_ERROR', 'The supported WebSocket version is 13. Send Sec-WebSocket-Version: 13.', {
        statusCode: 426,
        title: 'Upgrade required',
        headers: { ...SUPPORTED_VERSION, Upgrade: 'websocket' },
      });

/** 400 for an invalid handshake. `reason` is that of `ws`: the header that is missing or wrong. */
export const invalidHandshake = (reason: string): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', `Invalid WebSocket handshake: ${reason}.`, { headers: SUPPORTED_VERSION });
