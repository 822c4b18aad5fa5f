import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { isJsonObject } from '../../../json.ts';
import * as s from '../../../schema.ts';
import { keyOrToken, type PresentedCredential, presentedCredential } from '../../auth/presentedCredential.ts';
import { isClientSecret, sessionIn } from '../../auth/tokens.ts';
import { invalidField } from '../../errors/openAiErrors.ts';
import { OPENAI_TAG } from '../../errors/openAiSchemas.ts';
import { type Admitted, type GatewayDeps, SessionGateway, socketRoute } from '../../gateway/webSocket/sessionGateway.ts';
import type { RawQuery } from '../../query/rawQuery.ts';
import type { Route } from '../../route/route.ts';
import { type ClientSecretIssuer, clientSecretRoutes } from './clientSecretRoutes.ts';
import { type RealtimeDeps, type RealtimeHandshake, RealtimeSession } from './realtimeSession.ts';
import { DEFAULT_SETTINGS, type SessionSettings, updatedSettings } from './sessionSettings.ts';

export interface RealtimeGatewayDeps extends RealtimeDeps, GatewayDeps {
  readonly secrets: ClientSecretIssuer;
}

const PATH = '/v1/realtime';
const DEFAULT_MODEL = 'gpt-4o-transcribe';
const PROTOCOL = 'realtime';
const KEY_PROTOCOL = 'openai-insecure-api-key.';

/** Takes realtime transcription sessions: `GET /v1/realtime` as a WebSocket. */
export class RealtimeGateway extends SessionGateway<RealtimeGatewayDeps, RealtimeHandshake> {
  constructor(deps: RealtimeGatewayDeps) {
    // The key beside it is never echoed.
    super(deps, [PATH], (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false));
  }

  /** A request without an upgrade, and the operations that prepare sessions. */
  get routes(): readonly Route[] {
    return [this.#withoutUpgrade, ...clientSecretRoutes(this.deps)];
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

  protected presented(incoming: IncomingMessage, rawQuery: RawQuery): PresentedCredential {
    const credential = keyOrToken(keyIn(incoming, rawQuery));
    return credential.form === 'api-key' && isClientSecret(credential.key) ? { form: 'client-secret', secret: credential.key } : credential;
  }

  protected async handshake(
    _incoming: IncomingMessage,
    { caller, rawQuery, correlationId }: Admitted,
    credential: PresentedCredential,
  ): Promise<RealtimeHandshake> {
    // The settings of a client secret say what the session is for.
    const given = credential.form === 'client-secret' ? settingsIn(credential.secret) : null;
    const intent = singleOf(rawQuery, 'intent');
    const model = singleOf(rawQuery, 'model') ?? given?.model ?? null;
    if (intent !== 'transcription' && (intent !== null || (model === null && !given)))
      throw invalidField('intent', 'This server transcribes and does not speak. Connect with ?intent=transcription or with a model.');
    const template = await this.deps.models.template(caller, model ?? DEFAULT_MODEL, 'live');
    return { caller, template, settings: { ...(given ?? DEFAULT_SETTINGS), model }, correlationId, streamId: randomUUID() };
  }

  protected session(webSocket: WebSocket, connection: Duplex, handshake: RealtimeHandshake): RealtimeSession {
    return new RealtimeSession(webSocket, connection, this.deps, handshake);
  }

  protected override headers({ correlationId, streamId }: RealtimeHandshake): readonly string[] {
    return [`x-request-id: ${correlationId}`, `x-stream-id: ${streamId}`];
  }
}

const singleOf = (query: RawQuery, name: string): string | null => {
  const [value] = query.valuesOf(name);
  if (value === null) throw invalidField(name, `The parameter ${name} is not percent-encoded UTF-8.`);
  return value ?? null;
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
