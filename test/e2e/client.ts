import { setTimeout as wait } from 'node:timers/promises';
import { nextPause, PATIENCE } from '../eventually.ts';
import { isClusterForm } from './clusterForm.ts';
import { ADMIN_KEY } from './server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked by assertions, which fail on a wrong shape
  readonly body: any;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestInit['body'] | object;
  /** Default: the bootstrap API key; `null` sends none. */
  readonly key?: string | null;
  /** Whether a 503 of the whole platform is the expected result. */
  readonly expects503?: boolean;
}

/** On a busy machine, the stand-ins for the stores of the cluster form are slow, which is answered with 503: repeats the request. */
const REPEATS = isClusterForm ? 5 : 0;

/** One request with its whole answer and the JSON in it, if any. */
export const call = async (base: string, path: string, options: Call = {}): Promise<Answer> => {
  for (let left = REPEATS; ; left -= 1) {
    const answer = await callOnce(base, path, options);
    const away = answer.status === 503 && answer.body?.internalErrorName?.startsWith('GENERAL_');
    if (!away || left <= 0 || options.expects503) return answer;
    await wait(1_000);
  }
};

const callOnce = async (base: string, path: string, { method = 'GET', headers = {}, body, key = ADMIN_KEY }: Call): Promise<Answer> => {
  const json = body !== undefined && typeof body === 'object' && Object.getPrototypeOf(body) === Object.prototype;
  const init: RequestInit = {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Basic ${key}` }),
      ...(json ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
  };
  if (body !== undefined && body !== null) init.body = json ? JSON.stringify(body) : (body as NonNullable<RequestInit['body']>);
  const response = await fetch(base + path, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
};

export const PING_TEMPLATE = '65f46430c6d8985974ff9c9d';
export const TRANSCRIPTION_TEMPLATE = '668115d123bca7e3509723d4';
export const TEXT_TEMPLATE = '7472696275746172790a7478';

export const upload = (base: string, query: Readonly<Record<string, string>>, body: Call['body'], options: Call = {}): Promise<Answer> =>
  call(base, `/http-gateway/api/v1/upload?${new URLSearchParams(query)}`, {
    method: 'POST',
    body,
    ...options,
    headers: { 'content-type': 'application/octet-stream', ...options.headers },
  });

/** Headers for reads after a command: if the read models are behind, the position is sent with the next request. */
export const behind = ({ headers }: Pick<Answer, 'headers'>): { headers: Record<string, string> } => {
  const position = headers.get('tributary-position');
  return { headers: position === null ? {} : { 'tributary-after': position } };
};

/** Of answers whose read models are behind: each waits for them up to two seconds. */
const MOST_BEHIND = 10;

/** A read that shows every earlier command. If the answer says that its read models are behind, it is asked again with their position. */
export const readCaughtUp = async (base: string, path: string, options: Call = {}): Promise<Answer> => {
  let answer = await call(base, path, options);
  for (let left = MOST_BEHIND; left > 0 && answer.headers.has('tributary-position'); left -= 1)
    answer = await call(base, path, { ...options, ...behind(answer) });
  return answer;
};

export const getStream = (base: string, streamId: string, options?: Call): Promise<Answer> =>
  call(base, `/stream-service/api/v1/streams/${streamId}`, options);

/** Polls the stream until it is COMPLETED or FAILED, and returns it. Waits `milliseconds` times `PATIENCE`. */
// biome-ignore lint/suspicious/noExplicitAny: as Answer.body
export const streamEnd = async (base: string, streamId: string, milliseconds = 15_000): Promise<any> => {
  const began = performance.now();
  for (;;) {
    const { body, status } = await getStream(base, streamId);
    if (status === 200 && body.state !== 'READY') return body;
    const waited = performance.now() - began;
    if (waited > milliseconds * PATIENCE)
      throw new Error(`stream ${streamId} is still ${status} ${body?.state} after ${milliseconds * PATIENCE} ms`);
    await wait(nextPause(waited));
  }
};
