import { exportJWK } from 'jose';
import { notFound, Problem } from '../../domain/problem.ts';
import type { JsonObject } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import { decode } from '../../percent.ts';
import * as s from '../../schema.ts';
import type { Keys } from '../../stores/keys/openKeys.ts';
import { fieldCount } from '../input/body.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import type { Authentication } from './authentication.ts';
import { type ClientPair, decodePair } from './presentedCredential.ts';
import { TOKEN_SECONDS, type Tokens } from './tokens.ts';

export interface TokenRoutesDeps {
  readonly realm: string;
  /** `${PUBLIC_URL}/realms/{realm}`. */
  readonly issuer: () => string;
  readonly authentication: Authentication;
  readonly tokens: Tokens;
  readonly keys: Keys;
  readonly limits: Pick<Limits, 'formMaxFields'>;
}

/** Routes of the token endpoint, its keys and its discovery document. */
export const tokenRoutes = (deps: TokenRoutesDeps): readonly Route[] => [tokenRoute(deps), certsRoute(deps), discoveryRoute(deps)];

const TAG = 'Authentication';
const EXAMPLES = {
  pair: {
    summary: 'Client credentials',
    value: { grant_type: 'client_credentials', client_id: 'my-client', client_secret: 'the secret that was shown once' },
  },
};
const TOKEN_PATH = '/realms/{realm}/protocol/openid-connect/token';

const tokenRoute = (deps: TokenRoutesDeps): Route =>
  defineRoute({
    operationId: 'exchangeToken',
    holdsSecret: true,
    tag: TAG,
    method: 'POST',
    path: TOKEN_PATH,
    summary: 'Exchanges client credentials for an access token (RFC 6749, section 4.4).',
    description:
      'Send `grant_type=client_credentials` with the client id and secret in the form or as HTTP Basic. If both are sent and differ, the answer is 400. The token is valid for 10 minutes. Send it as `Authorization: Bearer`.',
    access: 'open',
    checkPath: onlyRealm(deps.realm),
    body: { kind: 'form', documented: TOKEN_REQUEST, examples: EXAMPLES },
    responses: {
      200: { description: 'The token.', schema: TOKEN_SCHEMA },
      400: { description: 'invalid_request or unsupported_grant_type.', schema: TOKEN_ERROR_SCHEMA },
      413: { description: 'The form is larger than 8 KB.' },
      401: { description: 'invalid_client.', schema: TOKEN_ERROR_SCHEMA },
      429: { description: 'Too many wrong client ids or secrets.', schema: TOKEN_ERROR_SCHEMA },
    },
    handle: async (request) => {
      try {
        const credential = await deps.authentication.client(pairOf(request, deps.limits.formMaxFields), request.incoming);
        const body = { access_token: await deps.tokens.issue(credential), expires_in: TOKEN_SECONDS, token_type: 'Bearer' };
        return { status: 200, body, headers: NO_STORE };
      } catch (error) {
        return refusal(error);
      }
    },
  });

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="tributary"' };

const TOKEN_SCHEMA = s.named(
  'Token',
  s.resource({ access_token: s.text, expires_in: s.described(s.integer, 'Seconds.'), token_type: s.text }),
);
const TOKEN_ERROR_SCHEMA = s.named(
  'TokenError',
  s.resource({ error: s.oneOf('invalid_request', 'invalid_client', 'unsupported_grant_type'), error_description: s.text }),
);
const TOKEN_REQUEST = s.named(
  'TokenRequest',
  s.partial({ grant_type: s.named('GrantType', s.oneOf('client_credentials')), client_id: s.text, client_secret: s.text }, ['grant_type']),
);
const KEY_SET = s.named('JsonWebKeySet', s.resource({ keys: s.list(s.anyObject) }));

/** An error in the format of RFC 6749, section 5.2. */
class TokenRefusal extends Error {
  constructor(
    readonly error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type',
    message: string,
  ) {
    super(message);
  }
}

const refusal = (error: unknown): ApiResponse => {
  if (error instanceof TokenRefusal) {
    const status = error.error === 'invalid_client' ? 401 : 400;
    const headers = status === 401 ? { ...NO_STORE, ...CHALLENGE } : NO_STORE;
    return { status, body: { error: error.error, error_description: error.message }, headers };
  }
  if (error instanceof Problem && (error.statusCode === 401 || error.statusCode === 429)) {
    const body = { error: 'invalid_client', error_description: error.statusCode === 401 ? 'Client id or secret is wrong.' : error.message };
    return { status: error.statusCode, body, headers: { ...NO_STORE, ...error.headers, ...(error.statusCode === 401 ? CHALLENGE : {}) } };
  }
  throw error;
};

type TokenRequest = ApiRequest<unknown, unknown, JsonObject>;

/** All possible readings of the presented pair. */
const pairOf = (request: TokenRequest, mostFields: number): readonly ClientPair[] => {
  if (fieldCount(request.body) > mostFields)
    throw new TokenRefusal(
      'invalid_request',
      `The form has more than ${mostFields} fields. Send grant_type, client_id and client_secret only.`,
    );
  const inForm = { clientId: field(request, 'client_id'), clientSecret: field(request, 'client_secret') };
  const grant = field(request, 'grant_type');
  if (grant === undefined) throw new TokenRefusal('invalid_request', 'grant_type is missing.');
  if (grant !== 'client_credentials') throw new TokenRefusal('unsupported_grant_type', 'grant_type must be client_credentials.');
  const inHeader = basicPair(request.header('authorization'));
  if (inHeader) {
    const same = readingsOf(inHeader).filter(
      (pair) => (inForm.clientId ?? pair.clientId) === pair.clientId && (inForm.clientSecret ?? pair.clientSecret) === pair.clientSecret,
    );
    if (same.length > 0) return same;
    throw new TokenRefusal(
      'invalid_request',
      'The form and the Authorization header contain different credentials. Send only one of them.',
    );
  }
  const { clientId, clientSecret } = inForm;
  if (clientId === undefined) throw new TokenRefusal('invalid_request', 'client_id is missing.');
  if (clientSecret === undefined) throw new TokenRefusal('invalid_request', 'client_secret is missing.');
  return [{ clientId, clientSecret }];
};

/** OAuth clients form-encode both halves before base64 (RFC 6749, section 2.3.1); others do not. Nothing tells which. */
const readingsOf = (pair: ClientPair): readonly ClientPair[] => {
  const [clientId, clientSecret] = [decode(pair.clientId), decode(pair.clientSecret)];
  if (clientId === null || clientSecret === null) return [pair];
  return clientId === pair.clientId && clientSecret === pair.clientSecret ? [pair] : [pair, { clientId, clientSecret }];
};

const field = ({ body }: TokenRequest, name: string): string | undefined => {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (Array.isArray(value)) throw new TokenRefusal('invalid_request', `${name} is given more than once.`);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const basicPair = (authorization: string | undefined): ClientPair | null => {
  // Ignore other schemes: clients send the token that they are about to replace.
  if (authorization === undefined || !/^basic\b/i.test(authorization)) return null;
  const value = /^basic\s+(\S+)\s*$/i.exec(authorization)?.[1];
  const pair = value === undefined ? null : decodePair(value);
  if (!pair) throw new TokenRefusal('invalid_client', 'The Authorization header must be Basic with client_id:client_secret in base64.');
  return pair;
};

const onlyRealm =
  (known: string): NonNullable<Route['checkPath']> =>
  ({ realm }) => {
    if (realm !== known) throw notFound('realm');
  };

const certsRoute = ({ realm, keys }: TokenRoutesDeps): Route =>
  defineRoute({
    operationId: 'getTokenKeys',
    tag: TAG,
    method: 'GET',
    path: '/realms/{realm}/protocol/openid-connect/certs',
    summary: "Returns the public keys that verify the platform's access tokens (JWKS).",
    description:
      'For services that verify access tokens themselves. Keys rotate with an overlap. Fetch them again when you see an unknown `kid`.',
    access: 'open',
    checkPath: onlyRealm(realm),
    responses: { 200: { description: 'A JSON Web Key Set.', schema: KEY_SET } },
    handle: async () => {
      await keys.signingKey('token');
      const accepted = await keys.acceptedKeys('token');
      const set = await Promise.all(
        accepted.map(async ({ kid, algorithm, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' })),
      );
      return { status: 200, body: { keys: set }, headers: { 'Cache-Control': 'public, max-age=60' } };
    },
  });

const discoveryRoute = ({ realm, issuer }: TokenRoutesDeps): Route =>
  defineRoute({
    operationId: 'getOpenidConfiguration',
    tag: TAG,
    method: 'GET',
    path: '/realms/{realm}/.well-known/openid-configuration',
    summary: 'Returns the OpenID Connect discovery document.',
    description: 'Clients find the token endpoint and its keys here.',
    access: 'open',
    checkPath: onlyRealm(realm),
    responses: { 200: { description: 'The discovery document.', schema: { type: 'object' } } },
    handle: async () => {
      const base = `${issuer()}/protocol/openid-connect`;
      return {
        status: 200,
        body: {
          issuer: issuer(),
          token_endpoint: `${base}/token`,
          jwks_uri: `${base}/certs`,
          grant_types_supported: ['client_credentials'],
          response_types_supported: [],
          subject_types_supported: ['public'],
          token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
          id_token_signing_alg_values_supported: ['ES256'],
          claims_supported: ['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'realm_access'],
        },
        headers: { 'Cache-Control': 'public, max-age=60' },
      };
    },
  });
