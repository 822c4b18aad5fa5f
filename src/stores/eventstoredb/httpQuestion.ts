import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../clock.ts';
import { within } from '../../supervision/within.ts';
import { USER_AGENT } from '../../userAgent.ts';
import type { ServerAddress } from './connectionString.ts';

const ANSWER_MILLISECONDS = 5_000;
const MAX_BODY_BYTES = 65_536;

interface HttpAnswer {
  readonly status: number;
  /** Its beginning, if it is long. */
  readonly body: string;
}

/** GET over HTTP with the connection string's credentials, for information that gRPC lacks; `null` without an answer. */
export const askOverHttp = async (
  { tls, credentials }: ServerAddress,
  address: string,
  path: string,
  clock: Clock,
): Promise<HttpAnswer | null> => {
  const [host = '', port = ''] = address.split(':');
  const over = new AbortController();
  const auth = credentials === null ? {} : { auth: `${credentials.user}:${credentials.password}` };
  const headers = { accept: 'application/json', 'user-agent': USER_AGENT };
  const options = { host, port, path, headers, agent: false, signal: over.signal, ...auth, ...tls };
  const asked = new Promise<HttpAnswer | null>((resolve) => {
    const failed = (): void => resolve(null);
    // Node's own request: its signal also ends a connection that is still being opened, unlike undici's `destroy`.
    const request = (tls === null ? httpRequest : httpsRequest)(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (body.length < MAX_BODY_BYTES) body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', failed);
    });
    request.on('error', failed).end();
  });
  const answer = await within(clock, ANSWER_MILLISECONDS, asked);
  over.abort();
  return answer === 'late' ? null : answer;
};
