const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
const inQuery = (name: string, description: string) => ({ type: 'apiKey', in: 'query', name, description });

/** Every form in which a credential may be presented. */
export const SECURITY_SCHEMES = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token from the token endpoint or from the outside issuer, or an API key.',
  },
  apiKey: header('Authorization', '`Basic <API_KEY>`, with the key not encoded, or `Basic` and the base64 of `client_id:client_secret`.'),
  clientId: header('X-Client-Id', 'With X-Client-Secret.'),
  clientSecret: header('X-Client-Secret', 'With X-Client-Id.'),
  queryClientId: inQuery('client_id', 'With client_secret. Discouraged: proxies may log it.'),
  queryClientSecret: inQuery('client_secret', 'With client_id. Discouraged: proxies may log it.'),
  queryAccessToken: inQuery('access_token', 'An access token or an API key. Discouraged: proxies may log it.'),
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'tributary-session',
    description: 'The session of a person in the dashboard. On https its name begins with `__Host-`.',
  },
} as const;

/** Every operation that is not open accepts any of these. */
export const SECURITY = [
  { accessToken: [] },
  { apiKey: [] },
  { clientId: [], clientSecret: [] },
  { queryClientId: [], queryClientSecret: [] },
  { queryAccessToken: [] },
  { session: [] },
];
