import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../clock.ts';
import type { ServerAddress } from './connectionString.ts';

const ANSWER_MILLISECONDS = 5_000;
const MAX_BODY_BYTES = 65_536;

export interface HttpAnswer {
  readonly status: number;
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
  const answered = new AbortController();
  const late = new AbortController();
  void clock.pause(ANSWER_MILLISECONDS, answered.signal).then((pause) => pause === 'elapsed' && late.abort());
  const auth = credentials === null ? {} : { auth: `${credentials.user}:${credentials.password}` };
  const certificates = { ...(tls?.ca && { ca: tls.ca }), ...(tls?.cert && { cert: tls.cert }), ...(tls?.key && { key: tls.key }) };
  const options = {
    host,
    port,
    path,
    agent: false,
    headers: { accept: 'application/json' },
    signal: late.signal,
    ...auth,
    ...certificates,
  };
  try {
    return await new Promise<HttpAnswer>((resolve, reject) => {
      const request = (tls === null ? httpRequest : httpsRequest)(options, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          if (body.length < MAX_BODY_BYTES) body += text;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.on('error', reject);
      });
      request.on('error', reject).end();
    });
  } catch {
    return null;
  } finally {
    answered.abort();
  }
};
