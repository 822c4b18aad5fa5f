import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, WebSocket } from 'ws';
import type { Clock } from '../../../clock.ts';
import type { Caller } from '../../../domain/credentials/caller.ts';
import { limitReached, Problem } from '../../../domain/problem.ts';
import type { KeptBytes } from '../../../projections/keptBytes.ts';
import type { DiskSpace } from '../../../stores/diskSpace.ts';
import type { Authentication } from '../../auth/authentication.ts';
import type { PresentedCredential } from '../../auth/presentedCredential.ts';
import type { AdmitCommand } from '../../server/admission.ts';
import { checkRoom } from '../../server/admission.ts';
import { OpenCounter } from '../../server/connectionLimit.ts';
import { framingProblem } from '../../server/server.ts';
import type { Traffic } from '../../traffic.ts';
import { LargeMessages } from './largeMessages.ts';

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_FRAGMENTS = 16_384;
/** Why `ws` closes a socket on its own. */
const CLOSE_REASONS: Readonly<Record<number, string>> = {
  1002: 'The frame violates the WebSocket protocol.',
  1007: 'The text is not valid UTF-8.',
  1008: `A message may have at most ${MAX_FRAGMENTS} fragments.`,
  1009: `A message may have at most ${MAX_MESSAGE_BYTES} bytes.`,
};

/** A socket that closes with a reason, and that its guard can pause while its session reads it. */
export class GatewayWebSocket extends WebSocket {
  #isHeldBack = false;
  /** The session's own request to pause. */
  #isToPause = false;

  override pause(): void {
    this.#isToPause = true;
    super.pause();
  }

  override resume(): void {
    this.#isToPause = false;
    if (!this.#isHeldBack) super.resume();
  }

  /** Pauses the socket until `letGo`, whatever its session requests. */
  holdBack(): void {
    this.#isHeldBack = true;
    super.pause();
  }

  /** Resumes the socket, unless the session wants it paused. */
  letGo(): void {
    if (!this.#isHeldBack) return;
    this.#isHeldBack = false;
    if (!this.#isToPause) super.resume();
  }

  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === undefined ? undefined : CLOSE_REASONS[code]));
  }
}

export const SOCKET_OPTIONS = {
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  maxFragments: MAX_FRAGMENTS,
  perMessageDeflate: false,
  // One message per turn of the event loop, so that a flood of tiny frames on one socket does not delay the others.
  allowSynchronousEvents: false,
  WebSocket: GatewayWebSocket,
  // The session answers pings itself, with a limit for clients that ping and never read.
  autoPong: false,
} satisfies ServerOptions<typeof GatewayWebSocket>;

export interface SocketAdmissionDeps {
  readonly clock: Clock;
  readonly authentication: Authentication;
  readonly disk: DiskSpace;
  readonly keptBytes: Pick<KeptBytes, 'check'>;
  readonly traffic: Traffic;
  /** Asked at every handshake. */
  readonly admit: AdmitCommand;
  /** Most open sockets of one user, over all gateways. */
  readonly maxSockets: number;
}

/** The checks and limits of a handshake that do not depend on the socket's purpose. One object for all gateways of a server. */
export class SocketAdmission {
  readonly #deps: SocketAdmissionDeps;
  readonly #open: OpenCounter;
  /** Shared by all gateways of the server. */
  readonly largeMessages: LargeMessages;

  constructor(deps: SocketAdmissionDeps) {
    this.#deps = deps;
    this.#open = new OpenCounter(deps.maxSockets);
    this.largeMessages = new LargeMessages(deps.clock, deps.traffic);
  }

  /** The user of the socket, for whom it counts until it closes. Rejects with a `Problem`: 400, 401, 426, 429, 503. */
  async enter(incoming: IncomingMessage, socket: Duplex, presented: () => PresentedCredential): Promise<Caller> {
    const { authentication, disk, keptBytes, admit, maxSockets } = this.#deps;
    const problem = framingProblem(incoming) ?? bodyProblem(incoming) ?? versionProblem(incoming);
    if (problem) throw problem;
    const caller = await authentication.check(presented(), incoming);
    checkRoom(disk);
    await keptBytes.check(caller.subject);
    admit(caller);
    const leave = this.#open.enter(caller.subject);
    if (!leave) throw tooManySockets(maxSockets);
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
