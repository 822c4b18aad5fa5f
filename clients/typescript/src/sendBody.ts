import { type Progress, sizeOf, streamOf, type UploadBody } from './uploadBody.ts';

export interface SendOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: UploadBody;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The members of XMLHttpRequest that are used. Browsers report the progress of an upload in no other way. */
interface Xhr {
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: unknown): void;
  abort(): void;
  getAllResponseHeaders(): string;
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  readonly status: number;
  readonly responseText: string;
}

const xhrOfBrowser = (): (new () => Xhr) | undefined => (globalThis as { XMLHttpRequest?: new () => Xhr }).XMLHttpRequest;

/** Sends a request with its body, if it has one, and returns the response. */
export const sendBody = (url: string, options: SendOptions, fetcher: typeof fetch): Promise<Response> => {
  const { method, headers, body, onProgress, signal } = options;
  if (body === undefined) return fetcher(url, { method, headers, ...(signal ? { signal } : {}) });
  const known = sizeOf(body) !== null;
  const Browser = xhrOfBrowser();
  if (Browser && known && onProgress) return sendByXhr(new Browser(), url, options, onProgress);
  // Bytes in memory need no stream, and are sent with their length.
  const whole = known && !onProgress;
  const init = {
    method,
    headers,
    body: whole ? body : streamOf(body, onProgress ?? (() => {}), signal),
    ...(signal ? { signal } : {}),
  };
  // Every `fetch` that can stream requires `duplex`, but few type declarations have it.
  return fetcher(url, (whole ? init : { ...init, duplex: 'half' }) as RequestInit);
};

const sendByXhr = (
  xhr: Xhr,
  url: string,
  { method, headers, body, signal }: SendOptions,
  onProgress: (progress: Progress) => void,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const abort = (): void => xhr.abort();
    const done = (settle: () => void) => (): void => {
      signal?.removeEventListener('abort', abort);
      settle();
    };
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total });
    xhr.onload = done(() =>
      resolve(new Response(xhr.responseText, { status: xhr.status, headers: headersOf(xhr.getAllResponseHeaders()) })),
    );
    xhr.onerror = done(() => reject(new TypeError('The upload was cut off.')));
    xhr.onabort = done(() => reject(signal?.reason ?? new TypeError('The upload was aborted.')));
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', abort, { once: true });
    xhr.send(body);
  });

const headersOf = (lines: string): Headers => {
  const headers = new Headers();
  for (const line of lines.trim().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return headers;
};
