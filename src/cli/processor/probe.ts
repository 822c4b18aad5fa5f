import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { type SignedHeaders, sign } from '../../delivery/send/signature.ts';
import type { JsonObject } from '../../json.ts';
import { signedHead } from '../../processors/declared/httpRun.ts';
import { canonicalJson } from '../../stores/canonicalJson.ts';
import { parseRetryAfter } from '../../supervision/retryAfter.ts';
import { USER_AGENT } from '../../userAgent.ts';

/** Changes that a case makes to an ordinary request. */
export interface Probe {
  readonly body?: string | Uint8Array | Readable;
  readonly properties?: JsonObject;
  readonly attempt?: number;
  readonly runId?: string;
  readonly contentType?: string;
  /** Headers to add, or to remove if `null`. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Closes the connection after the request. */
  readonly closes?: true;
  /** How the request is signed. Default: correctly. */
  readonly signature?: 'right' | 'absent' | 'wrong key' | 'other head' | 'two' | 'old' | 'garbage' | 'future';
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const TIMEOUT_MS = 15_000;
/** The server begins with 1 s. A check has many runs to make. */
const FIRST_POLL_MS = 50;
const LAST_POLL_MS = 2_000;
const MAX_ANSWER = 64 * 1_048_576;

const otherSecret = (): string => randomBytes(32).toString('base64');

const signedHeaders = (secret: string, runId: string, head: string, how: Probe['signature']): Partial<SignedHeaders> => {
  if (how === 'absent') return {};
  const shift = how === 'old' ? -3_600_000 : how === 'future' ? 3_600_000 : 0;
  const secrets = how === 'wrong key' ? [otherSecret()] : how === 'two' ? [otherSecret(), secret] : [secret];
  const headers = sign(runId, Date.now() + shift, how === 'other head' ? canonicalJson({ runId }) : head, secrets);
  return how === 'garbage' ? { ...headers, 'webhook-signature': 'v1,notbase64' } : headers;
};

export interface Target {
  readonly url: string;
  readonly secret: string | null;
  /** Of its input. */
  readonly contentType: string;
}

const headersOf = ({ secret, contentType }: Target, probe: Probe): Record<string, string> => {
  const { properties = {}, attempt = 1, runId = randomUUID(), signature = 'right' } = probe;
  const head = signedHead({ runId, attempt, streamId: randomUUID(), processor: `${'0'.repeat(24)}@1`, properties });
  const headers: Record<string, string> = {
    'user-agent': USER_AGENT,
    'content-type': probe.contentType ?? contentType,
    ...head.headers,
    ...(secret === null ? {} : signedHeaders(secret, runId, head.text, signature)),
  };
  for (const [name, value] of Object.entries(probe.headers ?? {})) {
    if (value === null) delete headers[name];
    else headers[name] = value;
  }
  return headers;
};

/** One run: its request, and how its polls and its end are sent. */
interface Asked {
  readonly response: Dispatcher.ResponseData;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

const post = async (target: Target, probe: Probe): Promise<Asked> => {
  const headers = headersOf(target, probe);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = { method: 'POST', headers, body: probe.body ?? '', reset: probe.closes ?? false, signal } as const;
  const response = await request(target.url, options);
  const { 'content-type': _, ...ofPolls } = headers;
  return { response, headers: ofPolls, signal };
};

/** Where the result of a 202 is; `null` if it has no usable `Location`. */
const locationOf = ({ statusCode, headers }: Dispatcher.ResponseData, from: string): string | null => {
  const location = String(headers.location ?? '');
  return statusCode === 202 && location !== '' && URL.canParse(location, from) ? new URL(location, from).href : null;
};

const pauseBefore = ({ headers }: Dispatcher.ResponseData, fallback: number): number =>
  Math.max(FIRST_POLL_MS, parseRetryAfter(headers['retry-after'], Date.now()) ?? fallback);

/** Polls after a 202 like the server. Returns the 202 itself if there is nowhere to poll. */
const polled = async ({ response: first, headers, signal }: Asked, url: string): Promise<Dispatcher.ResponseData> => {
  let response = first;
  let from = locationOf(response, url);
  for (let wait = FIRST_POLL_MS; from !== null && response.statusCode === 202; wait = Math.min(wait * 2, LAST_POLL_MS)) {
    await response.body.dump();
    await pause(pauseBefore(response, wait), undefined, { signal });
    response = await request(from, { method: 'GET', headers, signal });
    from = locationOf(response, from) ?? from;
  }
  return response;
};

/** Sends one request like a run, and polls if it is answered with 202. Rejects if there is no answer within 15 s. */
export const ask = async (target: Target, probe: Probe = {}): Promise<Answer> => {
  const { statusCode: status, headers, body } = await polled(await post(target, probe), target.url);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error('the answer has more than 64 MiB');
    chunks.push(chunk);
  }
  const [type = ''] = String(headers['content-type'] ?? '').split(';', 1);
  return { status, type: type.trim().toLowerCase(), headers, text: Buffer.concat(chunks).toString('utf8') };
};

/** Sends one request and cancels its run: closes the connection, and sends DELETE to the `Location` of a 202. */
export const askAndCancel = async (target: Target, probe: Probe): Promise<void> => {
  const { response, headers, signal } = await post(target, probe);
  const location = locationOf(response, target.url);
  response.body.on('error', () => undefined).destroy();
  if (location !== null) await (await request(location, { method: 'DELETE', headers, signal })).body.dump();
};
