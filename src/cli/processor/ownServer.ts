import type { Tributary } from '#client';

export const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Asks the server of `TRIBUTARY_URL` with `TRIBUTARY_API_KEY`. Rejects with a sentence for the user. */
export const askServer = async <T>(ask: (server: Tributary['http']) => Promise<{ data?: T }>): Promise<T> => {
  const { TRIBUTARY_URL: url = DEFAULT_URL, TRIBUTARY_API_KEY: apiKey } = process.env;
  if (!apiKey) throw new Error(`Set TRIBUTARY_API_KEY to an API key of the server at ${url}.`);
  if (!URL.canParse(url)) throw new Error(`TRIBUTARY_URL is not a URL: ${JSON.stringify(url)}.`);
  const { Tributary: Client } = await import('#client');
  const { data } = await asked(url, () => ask(new Client({ url, credential: { apiKey } }).http));
  // An answer of 204 has no body.
  return data as T;
};

const asked = async <T>(url: string, ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(`The server at ${url} does not answer. Start it, or set TRIBUTARY_URL.`);
  }
};
