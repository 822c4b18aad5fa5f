import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../domain/credentials/caller.ts';
import { enumValueIn, isJsonObject, type Json } from '../../../json.ts';
import * as s from '../../../schema.ts';
import { invalidField } from '../../errors/openAiErrors.ts';
import { OPENAI_TAG } from '../../errors/openAiSchemas.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../../route/route.ts';
import type { SpeechModels } from '../models/speechModels.ts';
import { DEFAULT_SETTINGS, olderSessionShown, type SessionSettings, sessionShown, updatedSettings } from './sessionSettings.ts';

export interface ClientSecretIssuer {
  issueClientSecret(caller: Caller, session: object, seconds: number): Promise<{ value: string; expiresAt: number }>;
}

interface ClientSecretDeps {
  readonly models: SpeechModels;
  readonly secrets: ClientSecretIssuer;
}

const DEFAULT_SECONDS = 600;
const [LEAST_SECONDS, MOST_SECONDS] = [10, 7_200];

const EXPIRES_AFTER = s.described(
  s.nullable(s.partial({ anchor: s.oneOf('created_at'), seconds: { type: 'integer', minimum: LEAST_SECONDS, maximum: MOST_SECONDS } })),
  `Default: ${DEFAULT_SECONDS} seconds.`,
);
const SECRET = { value: s.text, expires_at: s.described(s.integer, 'Seconds since the epoch.') };
const SHARED = { tag: OPENAI_TAG, method: 'POST', access: 'authenticated', reads: [], holdsSecret: true } as const;

/** Creates short-lived secrets for browsers and other clients that must not know the caller's credential. */
export const clientSecretRoutes = (deps: ClientSecretDeps): Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'createRealtimeClientSecret',
    path: '/v1/realtime/client_secrets',
    summary: 'Creates a short-lived secret for realtime sessions.',
    description:
      'A client that connects with it acts as the caller, in realtime sessions only. Its sessions begin with the settings of `session`.',
    body: {
      kind: 'json',
      schema: s.anyObject,
      documented: s.named('OpenAiClientSecretDraft', s.partial({ expires_after: EXPIRES_AFTER, session: s.anyObject })),
      examples: {
        minute: {
          summary: 'For a minute',
          value: { expires_after: { anchor: 'created_at', seconds: 60 }, session: { type: 'transcription' } },
        },
      },
    },
    responses: {
      200: { description: 'The secret.', schema: s.named('OpenAiClientSecret', s.resource({ ...SECRET, session: s.anyObject })) },
    },
    handle: async (request) => {
      const { expires_after: expiry, session = {} } = request.body;
      const { settings, secret } = await issued(deps, request, session, expiry);
      return answer({ ...secret, session: sessionShown(newId(), settings) });
    },
  }),
  defineRoute({
    ...SHARED,
    operationId: 'createRealtimeTranscriptionSession',
    path: '/v1/realtime/transcription_sessions',
    summary: 'Creates a short-lived secret for realtime sessions, in the older form.',
    description: 'The body has the settings of the session. The answer has the secret in `client_secret`.',
    body: {
      kind: 'json',
      schema: s.anyObject,
      examples: { pcm: { summary: 'Samples of 16 bits', value: { input_audio_format: 'pcm16' } } },
    },
    responses: {
      200: {
        description: 'The session, with its secret.',
        schema: s.named('OpenAiTranscriptionSession', s.resource({ client_secret: s.resource(SECRET) })),
      },
    },
    handle: async (request) => {
      const { client_secret: asked, ...session } = request.body;
      const wanted = asked ?? {};
      if (!isJsonObject(wanted)) throw invalidField('client_secret', 'client_secret must be an object.');
      const { settings, secret } = await issued(deps, request, session, wanted.expires_after);
      return answer({ ...olderSessionShown(newId(), settings), client_secret: secret });
    },
  }),
];

const newId = (): string => `sess_${randomUUID()}`;

const answer = (body: object): ApiResponse => ({ status: 200, body, headers: { 'Cache-Control': 'no-store' } });

interface Issued {
  readonly settings: SessionSettings;
  readonly secret: { readonly value: string; readonly expires_at: number };
}

const issued = async (
  { models, secrets }: ClientSecretDeps,
  { caller }: ApiRequest,
  session: Json,
  expiry: Json | undefined,
): Promise<Issued> => {
  const settings = updatedSettings(DEFAULT_SETTINGS, session);
  if (settings.model !== null) await models.template(caller, settings.model, 'live');
  const { value, expiresAt } = await secrets.issueClientSecret(caller, sessionShown(newId(), settings), secondsOf(expiry));
  return { settings, secret: { value, expires_at: expiresAt } };
};

const secondsOf = (expiry: Json = null): number => {
  if (expiry === null) return DEFAULT_SECONDS;
  if (!isJsonObject(expiry)) throw invalidField('expires_after', 'expires_after must be an object.');
  const { anchor = 'created_at', seconds = DEFAULT_SECONDS } = expiry;
  if (typeof anchor !== 'string' || enumValueIn(anchor, ['created_at']) === undefined)
    throw invalidField('expires_after.anchor', 'anchor must be created_at.');
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < LEAST_SECONDS || seconds > MOST_SECONDS)
    throw invalidField('expires_after.seconds', `seconds must be ${LEAST_SECONDS} to ${MOST_SECONDS}.`);
  return seconds;
};
