import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { request } from 'undici';
import type { Json, JsonObject } from '../../json.ts';
import { canonicalJson } from '../../stores/canonicalJson.ts';

/** Changes that a case makes to an ordinary request. */
export interface Probe {
  readonly body?: string | Uint8Array | Readable;
  readonly method?: string;
  readonly properties?: JsonObject;
  readonly attempt?: number;
  readonly runId?: string;
  readonly contentType?: string;
  /** Headers to add, or to remove if `null`. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** How the request is signed. Default: correctly. */
  readonly signature?: 'right' | 'absent' | 'wrong key' | 'other head' | 'two' | 'old' | 'garbage' | 'future';
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly milliseconds: number;
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER = 64 * 1_048_576;

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

const signatureOf = (key: Buffer, content: string): string => `v1,${createHmac('sha256', key).update(content).digest('base64')}`;

const signedHeaders = (secret: string, runId: string, head: Json, how: Probe['signature']): Record<string, string> => {
  if (how === 'absent') return {};
  const shift = how === 'old' ? -3_600 : how === 'future' ? 3_600 : 0;
  const timestamp = String(Math.floor(Date.now() / 1_000) + shift);
  const content = `${runId}.${timestamp}.${canonicalJson(how === 'other head' ? { runId } : head)}`;
  const right = signatureOf(how === 'wrong key' ? randomBytes(32) : keyOf(secret), content);
  const other = signatureOf(randomBytes(32), content);
  const signature = how === 'garbage' ? 'v1,notbase64' : how === 'two' ? `${other} ${right}` : right;
  return { 'webhook-id': runId, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
};

/** The processor to check. */
export interface Target {
  readonly url: string;
  readonly secret: string | null;
  /** Of its input. */
  readonly contentType: string;
}

/** Sends one request like a run. Rejects if there is no answer within 15 s. */
export const ask = async ({ url, secret, contentType }: Target, probe: Probe = {}): Promise<Answer> => {
  const { properties = {}, attempt = 1, runId = randomUUID(), signature = 'right' } = probe;
  const streamId = randomUUID();
  const processor = `${'0'.repeat(24)}@1`;
  const head = { runId, attempt, streamId, processor, properties };
  const headers: Record<string, string> = {
    'content-type': probe.contentType ?? contentType,
    'user-agent': 'Tributary',
    'accept-encoding': 'identity',
    'tributary-run-id': runId,
    'tributary-attempt': String(attempt),
    'tributary-stream-id': streamId,
    'tributary-processor': processor,
    'tributary-properties': Buffer.from(canonicalJson(properties)).toString('base64url'),
    ...(secret === null ? {} : signedHeaders(secret, runId, head, signature)),
  };
  for (const [name, value] of Object.entries(probe.headers ?? {})) {
    if (value === null) delete headers[name];
    else headers[name] = value;
  }
  const began = performance.now();
  const method = probe.method ?? 'POST';
  const response = await request(url, {
    method: method as 'POST',
    headers,
    body: method === 'GET' ? null : (probe.body ?? ''),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error('the answer has more than 64 MiB');
    chunks.push(chunk);
  }
  return {
    status: response.statusCode,
    type:
      String(response.headers['content-type'] ?? '')
        .split(';', 1)[0]
        ?.trim()
        .toLowerCase() ?? '',
    headers: response.headers,
    text: Buffer.concat(chunks).toString('utf8'),
    milliseconds: performance.now() - began,
  };
};
