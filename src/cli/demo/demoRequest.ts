import type { DemoServer } from './demoServer.ts';

/** Rejects with what the server said when it is not a 2xx. */
export const request = async (server: DemoServer, path: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(server.url + path, { ...init, headers: { authorization: `Basic ${server.apiKey}`, ...init.headers } });
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${path.split('?')[0]} answered ${response.status}: ${await response.text()}`);
  return response;
};

/** The JSON of a 2xx answer, in the shape that the public interface documents for the path. */
export const requestJson = async <Body>(server: DemoServer, path: string, init: RequestInit = {}): Promise<Body> =>
  (await (await request(server, path, init)).json()) as Body;
