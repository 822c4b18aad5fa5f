import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type Configuration, Provider } from 'oidc-provider';

export const OIDC_CLIENT = { id: 'tributary', secret: 'oidc-client-secret-0123456789abcdef' };

type Claims = Readonly<Record<string, unknown>>;

/** A real OpenID provider on a free port. The name of an account signs in as it, with any password. */
export interface RunningProvider {
  readonly issuer: string;
  /** Claims by the name of the account. */
  readonly accounts: Map<string, Claims>;
  /** Changes the claims of the next ID tokens, which are signed with the provider's key again. `null`: none. */
  forge: ((claims: JWTPayload) => JWTPayload) | null;
  /** An access token for the audience `tributary`. */
  accessToken: (sub: string) => Promise<string>;
  /** `User-Agent` of the requests that no browser made, each once. */
  readonly agents: Set<string>;
  /** It stops listening until `back`. */
  leave(): Promise<void>;
  back(): Promise<void>;
}

const KEY_ID = 'provider-key';

/** `accept` names the address of the server under test, which may be started later. */
export const startIdentityProvider = async (): Promise<
  RunningProvider & { accept(url: string, features?: Configuration['features']): Promise<void>; stop(): Promise<void> }
> => {
  let handle: RequestListener = (_, response) => void response.writeHead(503).end();
  const agents = new Set<string>();
  const server = createServer((request, response) => {
    if (/openid-configuration|jwks|token|\/me$/.test(request.url ?? '')) agents.add(request.headers['user-agent'] ?? '');
    handle(request, response);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  // Listening on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  const running: RunningProvider = {
    issuer: `http://127.0.0.1:${port}`,
    accounts: new Map(),
    agents,
    forge: null,
    accessToken: () => Promise.reject(new Error('the provider has accepted no client yet')),
    leave: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
    back: async () => (server.listening ? undefined : listen(port)),
  };
  return Object.assign(running, {
    accept: async (url: string, features: Configuration['features'] = {}) => {
      handle = (await providerFor(url, running, features)).callback();
    },
    stop: async () => (server.listening ? running.leave() : undefined),
  });
};

const providerFor = async (url: string, running: RunningProvider, features: Configuration['features']): Promise<Provider> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(running.issuer, {
    clients: [
      {
        client_id: OIDC_CLIENT.id,
        client_secret: OIDC_CLIENT.secret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${url}/sign-in/callback`],
        post_logout_redirect_uris: [`${url}/`],
      },
    ],
    features,
    claims: { openid: ['sub'], profile: ['name', 'roles'], email: ['email', 'email_verified'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key of the tests'] },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...running.accounts.get(id) }) }),
  });
  running.accessToken = (sub) =>
    new SignJWT({ sub, iss: running.issuer, aud: 'tributary', exp: Math.floor(Date.now() / 1_000) + 600 })
      .setProtectedHeader({ alg: 'RS256', kid: KEY_ID })
      .sign(privateKey);
  provider.use(async (context, next) => {
    await next();
    const { forge } = running;
    if (!forge || !isTokens(context.body)) return;
    const claims = forge(decodeJwt(context.body.id_token));
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KEY_ID }).sign(privateKey);
    context.body = { ...context.body, id_token: token };
  });
  return provider;
};

const isTokens = (body: unknown): body is { id_token: string } =>
  typeof body === 'object' && body !== null && 'id_token' in body && typeof body.id_token === 'string';
