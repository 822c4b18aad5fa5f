import { AuthorizationResponseError } from 'openid-client';
import { type PeopleDeps, type SignInRefusal, signInPerson, withdrawRefused } from '../../commands/people.ts';
import { isJsonObject } from '../../json.ts';
import type { Logger } from '../../logger.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import type { SessionCookie } from '../auth/sessionCookie.ts';
import { problemOf } from '../errors/errors.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { deviceOf } from './device.ts';
import { type IdentitySettings, identityOf } from './identity.ts';
import { type Flow, type IdentityProvider, ProviderAway } from './provider.ts';
import type { ProviderSignOut } from './providerSignOut.ts';

export interface OidcRoutesDeps extends PeopleDeps {
  readonly provider: IdentityProvider;
  readonly providerSignOut: ProviderSignOut;
  readonly settings: IdentitySettings;
  readonly publicUrl: () => string;
  readonly cookie: SessionCookie;
  readonly readModels: Pick<ReadModels, 'waitFor'>;
  readonly logger: Logger;
}

/** Why the dashboard shows its sign-in page again: see `web/src/shell/refusals.ts`. */
type Refusal = SignInRefusal | 'provider-away' | 'server-away' | 'not-accepted' | 'cancelled' | 'domain';

const START = '/sign-in/start';
const CALLBACK = '/sign-in/callback';
/** Each tab has its own. */
const flowCookie = (state: string): string => `tributary-sign-in-${state}`;
const STATE = /^[\w-]{1,100}$/;
/** Time that a person may take at the provider. */
const FLOW_SECONDS = 600;
const SHARED = { tag: 'Credentials', method: 'GET', access: 'open' } as const;
const REDIRECTED = { 303: { description: 'To the next page.', headers: ['Location', 'Set-Cookie'] } } as const;

/** Sign-in of people with the organisation's identity provider. Both routes are for browsers: they answer with redirects. */
export const oidcRoutes = (deps: OidcRoutesDeps): readonly Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'startSignIn',
    path: START,
    summary: "Sends the browser to the organisation's identity provider.",
    description: 'OpenID Connect, authorization code with PKCE. A provider that is away sends it back to the dashboard, which says so.',
    query: {
      to: { schema: { type: 'string' }, description: 'Place of the dashboard to return to, such as `#/streams`.' },
      moved: {
        schema: { type: 'string' },
        description: 'Present once the browser was sent to `PUBLIC_URL`, where the provider sends it back to.',
      },
    },
    responses: REDIRECTED,
    handle: (request) => started(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'finishSignIn',
    path: CALLBACK,
    summary: 'Where the identity provider sends the browser back to.',
    description: 'Starts a session, or sends the browser to the sign-in page with the reason. Register this address with the provider.',
    responses: REDIRECTED,
    handle: (request) => finished(deps, request).catch((error: unknown) => explained(deps, error)),
  }),
];

interface StartQuery {
  readonly to?: string;
  readonly moved?: string;
}

/** The cookies belong to one host, and the provider sends the browser back to that of `PUBLIC_URL`. Once only: a proxy may pass another `Host` on. */
const toPublicUrl = (publicUrl: string, { incoming, query: { to, moved } }: ApiRequest<unknown, StartQuery>): ApiResponse | null => {
  if (moved !== undefined || incoming.headers.host === new URL(publicUrl).host) return null;
  const query = new URLSearchParams({ to: placeOf(to), moved: 'true' });
  return { status: 303, headers: { Location: `${publicUrl}${START}?${query}` } };
};

const started = async (deps: OidcRoutesDeps, request: ApiRequest<unknown, StartQuery>): Promise<ApiResponse> => {
  const { provider, publicUrl, cookie } = deps;
  const moved = toPublicUrl(publicUrl(), request);
  if (moved) return moved;
  const begun = await provider.begin(`${publicUrl()}${CALLBACK}`).catch((error: unknown) => refusalFor(deps, error));
  if (typeof begun === 'string') return toSignIn(begun);
  const kept = Buffer.from(JSON.stringify({ ...begun.flow, to: placeOf(request.query.to) })).toString('base64url');
  return {
    status: 303,
    headers: { Location: begun.url.href, 'Set-Cookie': cookie.write(flowCookie(begun.flow.state), kept, FLOW_SECONDS) },
  };
};

const finished = async (deps: OidcRoutesDeps, request: ApiRequest): Promise<ApiResponse> => {
  const { provider, providerSignOut, settings, publicUrl, cookie } = deps;
  const { incoming, outgoing, rawQuery, correlationId, header } = request;
  const state = STATE.exec(rawQuery.valuesOf('state')[0] ?? '')?.[0];
  if (state === undefined) return toSignIn('not-accepted');
  outgoing.appendHeader('Set-Cookie', cookie.write(flowCookie(state), '', 0));
  const flow = flowIn(cookie.read(incoming, flowCookie(state)));
  if (!flow) return toSignIn('not-accepted');
  const returned = new URL(`${publicUrl()}${CALLBACK}?${rawQuery.text}`);
  const vouched = await provider.finish(returned, flow).catch((error: unknown) => refusalFor(deps, error));
  if (typeof vouched === 'string') return toSignIn(vouched);
  const { identified, isAllowed } = identityOf(vouched.claims, settings);
  const { personId } = identified;
  const context = { subject: personId, actor: personId, correlationId, causationId: correlationId };
  if (!isAllowed) {
    await withdrawRefused(deps, personId, context);
    return toSignIn('domain');
  }
  const session = await signInPerson(deps, identified, deviceOf(header('user-agent')), context);
  if (typeof session === 'string') return toSignIn(session);
  if (session.position !== null) await deps.readModels.waitFor(['credentials'], session.position);
  outgoing.appendHeader('Set-Cookie', cookie.start(session.token));
  outgoing.appendHeader('Set-Cookie', providerSignOut.keep(vouched.idToken));
  return { status: 303, headers: { Location: `/${flow.to}` } };
};

/** The provider's answer may hold personal data, so only the error's own words are logged. */
const refusalFor = ({ logger }: OidcRoutesDeps, error: unknown): Refusal => {
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return 'cancelled';
  const isAway = error instanceof ProviderAway;
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  logger.warn({ reason }, isAway ? 'the identity provider is away' : 'sign-in not accepted');
  return isAway ? 'provider-away' : 'not-accepted';
};

/** The browser would show the JSON of a 503, so the sign-in page says it instead. */
const explained = ({ logger }: OidcRoutesDeps, error: unknown): ApiResponse => {
  const problem = problemOf(error);
  if (problem?.statusCode !== 503) throw error;
  logger.error({ reason: problem.message }, 'sign-in failed');
  return toSignIn('server-away');
};

const toSignIn = (refusal: Refusal): ApiResponse => ({ status: 303, headers: { Location: `/#/?refused=${refusal}` } });

/** Only places of the dashboard, so that the browser is never sent to another site. */
const placeOf = (to = ''): string => (/^#\/[\w\-./?=&%]*$/.test(to) ? to : '#/');

const flowIn = (kept: string | null): (Flow & { to: string }) | null => {
  try {
    const flow: unknown = JSON.parse(Buffer.from(kept ?? '', 'base64url').toString());
    if (!isJsonObject(flow)) return null;
    const { state, nonce, verifier, to } = flow;
    if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string') return null;
    return { state, nonce, verifier, to: placeOf(String(to)) };
  } catch {
    return null;
  }
};
