import type { CredentialDeps } from '../../commands/credentials.ts';
import type { CredentialUses } from '../../commands/credentialUses.ts';
import { revokeMatching } from '../../commands/sessions.ts';
import type { Caller } from '../../domain/credentials/caller.ts';
import type { Credential } from '../../domain/credentials/state.ts';
import { notFound } from '../../domain/problem.ts';
import { type CredentialDocument, credentialsProjection } from '../../projections/credentials.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import * as s from '../../schema.ts';
import type { Authentication } from '../auth/authentication.ts';
import type { CredentialDirectory } from '../auth/credentialDirectory.ts';
import type { SessionCookie } from '../auth/sessionCookie.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import type { ProviderSignOut } from './providerSignOut.ts';

export interface SessionRoutesDeps extends CredentialDeps {
  readonly readModels: ReadModels;
  readonly directory: CredentialDirectory;
  readonly authentication: Pick<Authentication, 'lasts'>;
  readonly uses: Pick<CredentialUses, 'lastUsed'>;
  readonly cookie: SessionCookie;
  /** `null` without an identity provider. */
  readonly providerSignOut: ProviderSignOut | null;
}

const PATH = '/credential-service/api/v1/sessions';
const SHARED = { tag: 'Credentials', access: 'authenticated', reads: ['credentials'] } as const;
/** More than a person starts in the 12 hours that an unused session lasts. */
const MOST_SHOWN = 100;

const SESSION = s.named(
  'Session',
  s.resource({
    id: s.text,
    device: s.described(s.nullable(s.text), 'Browser and system, such as `Firefox on Linux`.'),
    createdTimestamp: s.time,
    lastUsedTimestamp: s.described(s.nullable(s.time), 'To the minute.'),
    current: s.described(s.flag, 'Whether this request was sent in it.'),
  }),
);

const ENDED = { description: 'Ended.', optionalHeaders: ['Set-Cookie', 'Tributary-Sign-Out'] } as const;

/** The caller's sessions in the dashboard. */
export const sessionRoutes = (deps: SessionRoutesDeps): readonly Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'listSessions',
    method: 'GET',
    path: PATH,
    summary: 'Lists where you are signed in to the dashboard, newest first.',
    description: 'A session ends 12 hours after its last use.',
    responses: { 200: { description: 'Your sessions.', schema: s.resource({ content: s.list(SESSION) }) } },
    handle: ({ caller }) => listed(deps, caller),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'endSession',
    method: 'DELETE',
    path: `${PATH}/{sessionId}`,
    summary: 'Signs you out of one session.',
    description: 'Takes effect within one second on every node. Unknown and ended sessions are 404.',
    responses: { 204: ENDED },
    handle: (request) => ended(deps, request, request.params.sessionId),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'endSessions',
    method: 'DELETE',
    path: PATH,
    summary: 'Signs you out everywhere.',
    description: 'Ends all your sessions, this one included, within one second on every node. API keys stay valid.',
    responses: { 204: ENDED },
    handle: (request) => ended(deps, request, null),
  }),
];

/** Several people may share a subject: each has their own sessions. With a key, a caller sees those of all. */
const ownSessions = async ({ directory }: SessionRoutesDeps, caller: Caller) => {
  const current = await directory.sessionOf(caller);
  return { kind: 'session', ...(current && { personId: current.personId ?? null }) } as const;
};

const listed = async (deps: SessionRoutesDeps, caller: Caller): Promise<ApiResponse> => {
  const own = await deps.readModels.find(credentialsProjection, {
    where: { subject: caller.subject, revoked: false, ...(await ownSessions(deps, caller)) },
    orderBy: [{ member: 'createdTimestamp', direction: 'desc' }],
    limit: MOST_SHOWN,
  });
  const lasting = await Promise.all(own.map((session) => deps.authentication.lasts(session)));
  const sessions = own.filter((_, index) => lasting[index]);
  return { status: 200, body: { content: await shown(deps, caller, sessions) } };
};

const shown = async ({ uses }: SessionRoutesDeps, { actor }: Caller, sessions: readonly CredentialDocument[]): Promise<object[]> => {
  const lastUsed = await uses.lastUsed(sessions.map(({ credentialId }) => credentialId));
  return sessions.map(({ credentialId, device = null, createdTimestamp }) => ({
    id: credentialId,
    device,
    createdTimestamp,
    lastUsedTimestamp: lastUsed.get(credentialId) ?? null,
    current: credentialId === actor,
  }));
};

/** `sessionId`: `null` for all. */
const ended = async (deps: SessionRoutesDeps, request: ApiRequest, sessionId: string | null): Promise<ApiResponse> => {
  const { caller } = request;
  const { kind, personId } = await ownSessions(deps, caller);
  const isOwn = (credential: Credential) => credential.kind === kind && (personId === undefined || credential.personId === personId);
  const matches = (credential: Credential) => isOwn(credential) && (sessionId === null || credential.credentialId === sessionId);
  const { revoked, position } = await revokeMatching(deps, caller.subject, matches, 'Signed out', commandContext(request));
  if (sessionId !== null && revoked.length === 0) throw notFound('session');
  for (const id of revoked) deps.directory.forget(id);
  const isOver = revoked.includes(caller.actor);
  if (isOver) request.outgoing.appendHeader('Set-Cookie', deps.cookie.end());
  const url = isOver && typeof personId === 'string' ? await signedOutAt(deps, request) : null;
  return {
    status: 204,
    ...(url && { headers: { 'Tributary-Sign-Out': url.href } }),
    consistency: { position, projections: SHARED.reads, shown: true },
  };
};

/** The page of the identity provider where a person who has signed out here can sign out too. */
const signedOutAt = async ({ providerSignOut }: SessionRoutesDeps, { incoming, outgoing }: ApiRequest): Promise<URL | null> => {
  if (!providerSignOut) return null;
  outgoing.appendHeader('Set-Cookie', providerSignOut.forget());
  return providerSignOut.urlFor(incoming);
};
