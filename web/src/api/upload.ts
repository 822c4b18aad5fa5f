import { proof } from '../shell/session.ts';
import { addressOf } from './address.ts';
import { errorOfBody, unreachable } from './errors.ts';
import { send } from './request.ts';
import type { Stream } from './types.ts';
import { configurationOf, patchHeaders, UPLOAD, type UploadSettings, webhookQuery } from './uploadSettings.ts';

interface FileUpload extends UploadSettings {
  readonly content: Blob;
  /** Bytes sent, of all. */
  readonly onProgress: (sent: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Sends an upload, with XMLHttpRequest because `fetch` reports no progress. Rejects with `ApiError`, or the signal's reason. */
export const sendFile = async ({ content, onProgress, signal, ...settings }: FileUpload): Promise<Stream> => {
  const form = new FormData();
  form.append('configuration', new Blob([JSON.stringify(configurationOf(settings))], { type: 'application/json' }));
  form.append('file', content);
  const { headers } = await proof();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', addressOf(UPLOAD, settings.query));
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
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

interface LinkUpload extends UploadSettings {
  readonly url: string;
  readonly signal: AbortSignal;
}

/** Lets the server fetch a recording. Resolves when all of its bytes are stored. Rejects with `ApiError`, or the signal's reason. */
export const sendLink = ({ query, patches, webhooks, url, signal }: LinkUpload): Promise<Stream> => {
  const options = { query: { ...query, ...webhookQuery(webhooks) }, headers: patchHeaders(patches), text: url, signal };
  return send<Stream>('POST', UPLOAD, options);
};

/** A random UUID, also where the page has not come by https and `crypto.randomUUID` is missing. */
export const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes]
    .map((byte, n) => (n === 6 ? (byte & 0x0f) | 0x40 : n === 8 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, '0'))
    .join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
