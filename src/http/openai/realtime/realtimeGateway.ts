import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Caller } from '../../../domain/credentials/caller.ts';
import type { Problem } from '../../../domain/problem.ts';
import { isJsonObject } from '../../../json.ts';
import * as s from '../../../schema.ts';
import type { OpenAccess } from '../../auth/openAccess.ts';
import { keyOrToken, type PresentedCredential, presentedCredential } from '../../auth/presentedCredential.ts';
import { isClientSecret, sessionIn } from '../../auth/tokens.ts';
import { problemOf, unforeseen } from '../../errors/errors.ts';
import { invalidField } from '../../errors/openAiErrors.ts';
import { OPENAI_TAG } from '../../errors/openAiSchemas.ts';
import type { SocketDeps } from '../../gateway/webSocket/clientSocket.ts';
import { isHandshake, OpenSessions, socketRoute } from '../../gateway/webSocket/openSessions.ts';
import { invalidHandshake, type SocketAdmission, socketOptions } from '../../gateway/webSocket/socketAdmission.ts';
import { refuseUpgrade, type UpgradeTaker } from '../../gateway/webSocket/upgrades.ts';
import { targetOf } from '../../input/target.ts';
import type { RawQuery } from '../../query/rawQuery.ts';
import { correlationOfRequest } from '../../route/correlation.ts';
import type { Route } from '../../route/route.ts';
import { type ClientSecretIssuer, clientSecretRoutes } from './clientSecretRoutes.ts';
import { type RealtimeDeps, type RealtimeHandshake, RealtimeSession } from './realtimeSession.ts';
import { DEFAULT_SETTINGS, type SessionSettings, updatedSettings } from './sessionSettings.ts';

export interface RealtimeGatewayDeps extends RealtimeDeps {
  readonly sockets: SocketAdmission;
  readonly access: Pick<OpenAccess, 'enter'>;
  readonly secrets: ClientSecretIssuer;
}

const PATH = '/v1/realtime';
const DEFAULT_MODEL = 'gpt-4o-transcribe';
const PROTOCOL = 'realtime';
const KEY_PROTOCOL = 'openai-insecure-api-key.';

/** Takes realtime transcription sessions: `GET /v1/realtime` as a WebSocket. */
export class RealtimeGateway implements UpgradeTaker {
  readonly #deps: RealtimeGatewayDeps & SocketDeps;
  readonly sessions: OpenSessions<RealtimeSession>;
  readonly #sockets: WebSocketServer;

  constructor(deps: RealtimeGatewayDeps) {
    this.#deps = { ...deps, ...deps.sockets.shared };
    this.sessions = new OpenSessions(deps);
    this.#sockets = new WebSocketServer({
      ...socketOptions(this.#deps.limits),
      // The key beside it is never echoed.
      handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
    });
    this.#sockets.on('wsClientError', ({ message }, socket) => refuse(socket, invalidHandshake(message)));
  }

  /** A request without an upgrade, and the operations that prepare sessions. */
  get routes(): readonly Route[] {
    return [this.#withoutUpgrade, ...clientSecretRoutes(this.#deps)];
  }

  readonly #withoutUpgrade = socketRoute({
    operationId: 'openRealtime',
    tag: OPENAI_TAG,
    path: PATH,
    summary: 'Realtime transcription over a WebSocket.',
    description:
      "Messages of the transcription sessions of OpenAI's realtime API, in their newer and older forms. A session is one stream of the real-time template. Send the key as `Authorization: Bearer`, or as the subprotocol `openai-insecure-api-key.<key>` beside `realtime`. A request without an upgrade is 426.",
    query: {
      intent: { schema: s.text, description: '`transcription`. May be left out when there is a model.', example: 'transcription' },
      model: { schema: s.text, description: 'A model of recordings, or a real-time template by id or name.' },
    },
  });

  takes(incoming: IncomingMessage): boolean {
    return isHandshake(incoming, [PATH]);
  }

  take(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgrade(incoming, socket, head).catch((error: unknown) => refuse(socket, problemOf(error) ?? unforeseen()));
  }

  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { rawQuery } = targetOf(incoming.url ?? '');
    this.sessions.checkOpen();
    const credential = presented(incoming, rawQuery);
    const caller = await this.#deps.sockets.enter(incoming, socket, () => credential);
    const settings = credential.form === 'client-secret' ? settingsIn(credential.secret) : null;
    const handshake = await this.#handshake(incoming, caller, rawQuery, settings);
    this.sessions.checkOpen();
    const onHeaders = (headers: string[], request: IncomingMessage): void => {
      if (request === incoming) headers.push(`x-request-id: ${handshake.correlationId}`, `x-stream-id: ${handshake.streamId}`);
    };
    this.#sockets.on('headers', onHeaders);
    try {
      this.#sockets.handleUpgrade(incoming, socket, head, (webSocket) => {
        const session = new RealtimeSession(webSocket, socket, this.#deps, handshake);
        this.sessions.add(session, caller, session.run());
      });
    } finally {
      this.#sockets.off('headers', onHeaders);
    }
  }

  /** `given`: the settings of a client secret, which say what the session is for. */
  async #handshake(incoming: IncomingMessage, caller: Caller, query: RawQuery, given: SessionSettings | null): Promise<RealtimeHandshake> {
    const intent = singleOf(query, 'intent');
    const model = singleOf(query, 'model') ?? given?.model ?? null;
    if (intent !== 'transcription' && (intent !== null || (model === null && !given)))
      throw invalidField('intent', 'This server transcribes and does not speak. Connect with ?intent=transcription or with a model.');
    const template = await this.#deps.models.template(caller, model ?? DEFAULT_MODEL, 'live');
    const { correlationId } = correlationOfRequest(incoming.headers);
    return { caller, template, settings: { ...(given ?? DEFAULT_SETTINGS), model }, correlationId, streamId: randomUUID() };
  }
}

const singleOf = (query: RawQuery, name: string): string | null => {
  const [value] = query.valuesOf(name);
  if (value === null) throw invalidField(name, `The parameter ${name} is not percent-encoded UTF-8.`);
  return value ?? null;
};

const presented = (incoming: IncomingMessage, rawQuery: RawQuery): PresentedCredential => {
  const credential = keyOrToken(keyIn(incoming, rawQuery));
  return credential.form === 'api-key' && isClientSecret(credential.key) ? { form: 'client-secret', secret: credential.key } : credential;
};

/** A browser cannot set headers: it sends the key as a subprotocol. */
const keyIn = ({ headers }: IncomingMessage, rawQuery: RawQuery): PresentedCredential => {
  const ofHeaders = presentedCredential(headers);
  if (ofHeaders.form !== 'none') return ofHeaders;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  const key = offered.find((protocol) => protocol.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
  return key === undefined ? presentedCredential({}, rawQuery) : { form: 'jwt', token: key };
};

/** Those that a verified secret was created with. */
const settingsIn = (secret: string): SessionSettings => {
  const session = sessionIn(secret);
  return isJsonObject(session) ? updatedSettings(DEFAULT_SETTINGS, session) : DEFAULT_SETTINGS;
};

const refuse = (socket: Duplex, problem: Problem): void => refuseUpgrade(socket, problem, PATH);
