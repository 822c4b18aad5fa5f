import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { type Credential, Credentials } from './credential.ts';
import { errorOf } from './error.ts';
import type { paths } from './generated/openapi.ts';
import { type LiveOptions, liveMessages } from './live.ts';
import { queryOf, type StreamSettings } from './query.ts';
import { type SendOptions, sendBody } from './sendBody.ts';
import { sendResumably } from './sendResumably.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';
import { slept } from './slept.ts';
import type { ExportResult, SinkMessage, Stream } from './types.ts';
import type { Progress, UploadBody } from './uploadBody.ts';

export interface TributaryOptions {
  /** URL of the server, such as `https://tributary.example.com`. */
  readonly url: string;
  readonly credential: Credential;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface UploadOptions extends StreamSettings {
  readonly body: UploadBody;
  /** Default: `application/octet-stream`. */
  readonly contentType?: string;
  /** Repeating an upload with the same key creates no second stream. */
  readonly idempotencyKey?: string;
  /**
   * Continues after a lost connection or a restart of the server (tus 1.0), for text, bytes and Blobs. With the same `idempotencyKey`, another process
   * continues what an earlier one has begun.
   */
  readonly resumable?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Called with every state that is seen. */
  readonly onState?: (stream: Stream) => void;
}

/** Polls soon after the start, then less and less often. */
const FIRST_LOOK_MILLISECONDS = 100;
const LAST_LOOK_MILLISECONDS = 2_000;

/**
 * A client of one server, for one user. `http` has every operation of the API document, with its types; the other methods make several requests.
 * All of them reject with a `TributaryError` if the server refuses a request.
 */
export class Tributary {
  readonly url: string;
  /** `http.GET('/stream-service/api/v1/streams/{streamId}', { params: { path: { streamId } } })` returns `data`, or throws. */
  readonly http: Client<paths>;
  readonly #credentials: Credentials;
  readonly #fetch: typeof fetch;
  /** Log position of the last command that some read model did not show yet. Later reads wait for it. */
  #position: string | null = null;

  constructor({ url, credential, fetch: fetcher = (...args) => fetch(...args) }: TributaryOptions) {
    this.url = url.replace(/\/+$/, '');
    this.#fetch = fetcher;
    this.#credentials = new Credentials(credential, this.url, fetcher);
    this.http = createFetchClient<paths>({ baseUrl: this.url, fetch: (request) => fetcher(request) });
    this.http.use(this.#middleware());
  }

  /** Uploads, and returns the stream once all its bytes are durable. */
  async upload(options: UploadOptions): Promise<Stream> {
    const { body, contentType = 'application/octet-stream', idempotencyKey, resumable, onProgress, signal, ...settings } = options;
    const key: Record<string, string> = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const gateway = `${this.url}/http-gateway/api/v1`;
    if (resumable) {
      const send = (url: string, sending: SendOptions) => this.#send(url, sending);
      const streamId = await sendResumably(`${gateway}/tus?${queryOf(settings)}`, { body, headers: key, onProgress, signal, send });
      return this.stream(streamId);
    }
    const headers = { 'Content-Type': contentType, ...key };
    const response = await this.#send(`${gateway}/upload?${queryOf(settings)}`, { method: 'POST', headers, body, onProgress, signal });
    return (await response.json()) as Stream;
  }

  async stream(streamId: string): Promise<Stream> {
    const { data } = await this.http.GET('/stream-service/api/v1/streams/{streamId}', { params: { path: { streamId } } });
    return there(data);
  }

  /** Waits until a stream is COMPLETED, FAILED or EXPIRED, and returns it. */
  async whenEnded(streamId: string, { signal, onState }: WaitOptions = {}): Promise<Stream> {
    for (let pause = FIRST_LOOK_MILLISECONDS; ; pause = Math.min(pause * 1.5, LAST_LOOK_MILLISECONDS)) {
      const stream = await this.stream(streamId);
      onState?.(stream);
      if (stream.state !== 'READY') return stream;
      await slept(pause, signal);
    }
  }

  /** Returns the merged results of streams. Waits until they have ended. Null if nothing was persisted, or the results have expired. */
  async results(streamIds: string | readonly string[], { tags }: { readonly tags?: readonly string[] } = {}): Promise<ExportResult | null> {
    const query = { streams: [streamIds].flat(), ...(tags ? { tags: [...tags] } : {}) };
    const { data, response } = await this.http.GET('/export-service/api/v1/export/{format}', {
      params: { path: { format: 'JSON' }, query },
    });
    // Only the other formats are text.
    return response.status === 204 ? null : (there(data) as ExportResult);
  }

  /**
   * Yields the sink messages of one or more streams: the stored ones, then each as it arrives, until the streams end. Reconnects
   * after an interruption and continues after the last message.
   */
  live(streamIds: string | readonly string[], options: LiveOptions = {}): AsyncGenerator<SinkMessage, void, undefined> {
    const open = async (path: string, signal: AbortSignal | undefined): Promise<Response> =>
      this.#checked(await this.#fetch(this.url + path, { headers: await this.#headers(), ...(signal ? { signal } : {}) }));
    return liveMessages(open, [streamIds].flat(), options);
  }

  /** Opens a session of the WebSocket gateway: sends data and receives results at the same time. Resolves when the stream has been created. */
  async session(options: SessionOptions): Promise<Session> {
    return openSession(this.url, await this.#credentials.authorization(), options);
  }

  async #send(url: string, options: SendOptions): Promise<Response> {
    const headers = { ...(await this.#headers()), ...options.headers };
    return this.#checked(await sendBody(url, { ...options, headers }, this.#fetch));
  }

  async #headers(): Promise<Record<string, string>> {
    const { scheme, value } = await this.#credentials.authorization();
    return { Authorization: `${scheme} ${value}` };
  }

  async #checked(response: Response): Promise<Response> {
    if (response.headers.get('Tributary-Consistency') === 'pending') this.#position = response.headers.get('Tributary-Position');
    if (response.status === 401) this.#credentials.refused();
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  #middleware(): Middleware {
    return {
      onRequest: async ({ request }) => {
        for (const [name, value] of Object.entries(await this.#headers())) request.headers.set(name, value);
        if (request.method === 'GET' && this.#position !== null) request.headers.set('Tributary-After', this.#position);
      },
      onResponse: async ({ response }) => {
        await this.#checked(response);
      },
    };
  }
}

/** The middleware throws for every response that is not a 2xx, so there is a body. */
const there = <Body>(body: Body | undefined): Body => {
  if (body === undefined) throw new TypeError('The platform answered without a body.');
  return body;
};
