import { authorization } from '../shell/session.ts';
import { errorOfBody, unreachable } from './errors.ts';
import { addressOf, type RequestOptions } from './request.ts';
import type { Json, Stream } from './types.ts';

export interface UploadRequest {
  readonly query: NonNullable<RequestOptions['query']>;
  /** By alias or path. */
  readonly patches: Readonly<Record<string, Json>>;
  /** Address to event types. */
  readonly webhooks: Readonly<Record<string, readonly string[]>>;
  readonly content: Blob;
  /** Bytes that have gone out, of all. */
  readonly onProgress: (sent: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Sends an upload. By XMLHttpRequest, since `fetch` does not tell how much has gone out. Rejects with `ApiError`, or the signal's reason. */
export const sendUpload = async ({ query, patches, webhooks, content, onProgress, signal }: UploadRequest): Promise<Stream> => {
  const form = new FormData();
  form.append('configuration', new Blob([JSON.stringify({ patches, webhook: webhooks })], { type: 'application/json' }));
  form.append('file', content);
  const credential = await authorization();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', addressOf('/http-gateway/api/v1/upload', query));
    request.setRequestHeader('Authorization', credential);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
    request.onload = () => {
      const { status, response } = request;
      if (status >= 200 && status < 300) resolve(response);
      else reject(errorOfBody(status, response, request.getResponseHeader('X-Correlation-Id')));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
};

/** A random UUID, also where the page has not come by https and `crypto.randomUUID` is missing. */
export const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes]
    .map((byte, n) => (n === 6 ? (byte & 0x0f) | 0x40 : n === 8 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, '0'))
    .join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
