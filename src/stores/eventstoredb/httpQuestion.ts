import { Agent, request } from 'undici';
import type { Clock } from '../../clock.ts';
import { within } from '../../supervision/within.ts';
import { certificatesOf, type ServerAddress } from './connectionString.ts';

const ANSWER_MILLISECONDS = 5_000;
const MAX_BODY_BYTES = 65_536;

/** GET over HTTP with the connection string's credentials, for information that gRPC lacks; `null` without an answer. */
export const askOverHttp = async (
  { tls, credentials }: ServerAddress,
  address: string,
  path: string,
  clock: Clock,
): Promise<{ readonly status: number; readonly body: string } | null> => {
  const dispatcher = new Agent({ connect: certificatesOf(tls), maxResponseSize: MAX_BODY_BYTES });
  const pair = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64');
  const headers = { accept: 'application/json', ...(pair !== null && { authorization: `Basic ${pair}` }) };
  const url = `${tls === null ? 'http' : 'https'}://${address}${path}`;
  const ask = async () => {
    const { statusCode, body } = await request(url, { dispatcher, headers });
    return { status: statusCode, body: await body.text() };
  };
  const answer = await within(
    clock,
    ANSWER_MILLISECONDS,
    ask().catch(() => null),
  );
  // Ends a request that still waits.
  void dispatcher.destroy();
  return answer === 'late' ? null : answer;
};
