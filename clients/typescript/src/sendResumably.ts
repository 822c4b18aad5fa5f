import { TributaryError } from './error.ts';
import type { SendOptions } from './sendBody.ts';
import { slept } from './slept.ts';
import { type Progress, sizeOf, type UploadBody } from './uploadBody.ts';

export interface ResumableOptions {
  readonly body: UploadBody;
  /** Of the creation. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sends a request with the credential. Rejects with a `TributaryError` for an error response. */
  readonly send: (url: string, options: SendOptions) => Promise<Response>;
}

/** Largest body of one request, below the limits of most proxies. */
const CHUNK_BYTES = 33_554_432;
/** Tries in a row without progress: about four minutes. */
const MOST_TRIES = 20;
const FIRST_PAUSE_MILLISECONDS = 500;
const LONGEST_PAUSE_MILLISECONDS = 15_000;
const PROTOCOL = { 'Tus-Resumable': '1.0.0' };

/** Uploads with tus 1.0 and continues after lost connections. `url` is the creation's. Resolves with the id of the stream, whose bytes are durable. */
export const sendResumably = async (url: string, options: ResumableOptions): Promise<string> => {
  const { headers, onProgress, send, signal } = options;
  const body = sliceable(options.body);
  const total = body === null ? null : sizeOf(body);
  if (body === null || total === null)
    throw new TypeError('A resumable upload needs text, bytes or a Blob: a stream cannot be sent twice.');
  const created = await send(url, { method: 'POST', headers: { ...PROTOCOL, ...headers, 'Upload-Length': String(total) }, signal });
  // A proxy may serve the platform below a path that the server does not know.
  const location = `${url.split('?')[0]}/${created.headers.get('Location')?.split('/').at(-1)}`;
  const askOffset = async () => offsetOf(await send(location, { method: 'HEAD', headers: PROTOCOL, signal }));
  const sendFrom = async (from: number): Promise<number> => {
    const progress = onProgress && (({ sent }: Progress) => onProgress({ sent: from + sent, total }));
    const moved = { ...PROTOCOL, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(from) };
    const chunk = body.slice(from, from + CHUNK_BYTES);
    return offsetOf(await send(location, { method: 'PATCH', headers: moved, body: chunk, onProgress: progress, signal }));
  };
  // An earlier upload with the same Idempotency-Key may have sent some.
  let offset: number | null = 'Idempotency-Key' in headers ? null : 0;
  const failures: unknown[] = [];
  while (offset !== total) {
    try {
      const from: number = offset ?? (await askOffset());
      offset = from;
      if (from < total) offset = await sendFrom(from);
      failures.length = 0;
    } catch (error) {
      failures.push(error);
      if (signal?.aborted || !mayPass(error) || failures.length > MOST_TRIES) throw failures.find(isRefusal) ?? error;
      await slept(Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** (failures.length - 1), LONGEST_PAUSE_MILLISECONDS), signal);
      offset = null;
    }
  }
  return created.headers.get('Tributary-Stream-Id') ?? '';
};

const sliceable = (body: UploadBody): Blob | null => {
  if (body instanceof Blob) return body;
  return typeof body === 'string' || body instanceof ArrayBuffer || body instanceof Uint8Array
    ? new Blob([body as Uint8Array<ArrayBuffer>])
    : null;
};

const offsetOf = ({ headers }: Response): number => Number(headers.get('Upload-Offset'));

/** A conflict may only mean that the server has more bytes than the last answer said. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof TributaryError) || error.status === 409 || error.status === 429 || error.status >= 500;

/** The reason of a refused upload, which the server has forgotten at the next request. */
const isRefusal = (error: unknown): boolean => error instanceof TributaryError && error.status < 500 && error.status !== 429;
