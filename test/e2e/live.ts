import { request } from 'node:http';
import { ADMIN_KEY } from './server.ts';

/** A running live read: the data so far, and its end. */
export interface LiveReader {
  /** Resolves when the headers have arrived. */
  readonly headers: Promise<{ status: number; contentType: string | undefined }>;
  readonly chunks: Buffer[];
  /** All data; rejects if the read is cut off. */
  readonly done: Promise<Buffer>;
  /** The complete messages so far. */
  // biome-ignore lint/suspicious/noExplicitAny: checked by assertions, which fail on a wrong shape
  messages(): any[];
  leave(): void;
  pause(): void;
  resume(): void;
}

export const LIVE = '/egress-service/api/v1/egress/live';

export const readLive = (base: string, query: string, key = ADMIN_KEY): LiveReader => {
  const chunks: Buffer[] = [];
  let pause = (): void => {};
  let resume = (): void => {};
  const outgoing = request(`${base}${LIVE}?${query}`, { headers: { authorization: `Basic ${key}` }, agent: false });
  let told: (headers: { status: number; contentType: string | undefined }) => void = () => {};
  const headers = new Promise<{ status: number; contentType: string | undefined }>((resolve) => {
    told = resolve;
  });
  const done = new Promise<Buffer>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      pause = () => response.pause();
      resume = () => response.resume();
      told({ status: response.statusCode ?? 0, contentType: response.headers['content-type'] });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', reject);
    });
  });
  done.catch(() => undefined);
  outgoing.end();
  return {
    headers,
    chunks,
    done,
    messages: () =>
      Buffer.concat(chunks)
        .toString()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    leave: () => outgoing.destroy(),
    pause: () => pause(),
    resume: () => resume(),
  };
};

/** An upload whose bytes are sent one by one, as the test says. */
export const slowUpload = (base: string, query: Readonly<Record<string, string>>) => {
  const outgoing = request(`${base}/http-gateway/api/v1/upload?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { authorization: `Basic ${ADMIN_KEY}`, 'content-type': 'application/octet-stream' },
    agent: false,
  });
  const answered = new Promise<number>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
  });
  answered.catch(() => undefined);
  return {
    send: (bytes: string | Buffer): void => void outgoing.write(bytes),
    end: (): void => void outgoing.end(),
    breakOff: (): void => void outgoing.destroy(),
    answered,
  };
};
