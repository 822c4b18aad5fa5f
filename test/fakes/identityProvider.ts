import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

export const OIDC_CLIENT = { id: 'tributary', secret: 'oidc-client-secret-0123456789abcdef' };

type Claims = Readonly<Record<string, unknown>>;

/** A real OpenID provider on a free port. The name of an account signs in as it, with any password. */
export interface RunningProvider {
  readonly issuer: string;
  /** Claims by the name of the account. */
  readonly accounts: Map<string, Claims>;
  /** Changes the claims of the next ID tokens, which are signed with the provider's key again. `null`: none. */
  forge: ((claims: JWTPayload) => JWTPayload) | null;
  /** It stops listening until `back`. */
  leave(): Promise<void>;
  back(): Promise<void>;
}

const KEY_ID = 'provider-key';

/** `url`: address of the server under test. */
export const startIdentityProvider = async (url: string): Promise<RunningProvider & { stop(): Promise<void> }> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  let handle: ReturnType<Provider['callback']> | null = null;
  const server = createServer((request, response) => void handle?.(request, response));
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const accounts = new Map<string, Claims>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: OIDC_CLIENT.id,
        client_secret: OIDC_CLIENT.secret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${url}/sign-in/callback`],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'roles'], email: ['email', 'email_verified'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key of the tests'] },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...accounts.get(id) }) }),
  });
  const running: RunningProvider = {
    issuer,
    accounts,
    forge: null,
    leave: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
    back: async () => (server.listening ? undefined : listen(port)),
  };
  provider.use(async (context, next) => {
    await next();
    const { forge } = running;
    if (!forge || !isTokens(context.body)) return;
    const claims = forge(decodeJwt(context.body.id_token));
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KEY_ID }).sign(privateKey);
    context.body = { ...context.body, id_token: token };
  });
  handle = provider.callback();
  return Object.assign(running, { stop: async () => (server.listening ? running.leave() : undefined) });
};

const isTokens = (body: unknown): body is { id_token: string } =>
  typeof body === 'object' && body !== null && 'id_token' in body && typeof body.id_token === 'string';
