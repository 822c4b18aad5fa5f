import { Server } from '@tus/server';
import { streamLimitHeaders } from '../../../commands/upload.ts';
import { conflict, Problem } from '../../../domain/problem.ts';
import type { ApiRequest, ApiResponse } from '../../route/route.ts';
import { SHOW_STREAMS } from '../../streams/streamLookup.ts';
import type { UploadRequest } from '../uploadParameters.ts';
import { type NewUploadDeps, NewUploadStore } from './newUploadStore.ts';
import { TopicStore } from './topicStore.ts';
import { TUS_PATH, TUS_VERSION } from './tus.ts';
import { UploadLocks } from './uploadLocks.ts';

export type TusMethod = 'POST' | 'HEAD' | 'PATCH' | 'DELETE';

/** What the library needs to see of a request. */
const PASSED = [
  'content-length',
  'content-type',
  'upload-concat',
  'upload-defer-length',
  'upload-length',
  'upload-metadata',
  'upload-offset',
];
/** What it answers. CORS is the server's own matter. */
const ANSWERED = ['Cache-Control', 'Location', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset'];

/** Answers the requests of tus clients with `@tus/server`, one server object each: its store needs to know the request. */
export class TusGateway {
  readonly #deps: NewUploadDeps;
  readonly #locks = new UploadLocks();

  constructor(deps: NewUploadDeps) {
    this.#deps = deps;
  }

  async create(request: ApiRequest & UploadRequest): Promise<ApiResponse> {
    const store = new NewUploadStore(this.#deps, request);
    const answer = await this.#ask(request, 'POST', store, (metadata) => store.name(metadata));
    const { runningStreams } = this.#deps;
    const remaining = await runningStreams.remaining(request.caller.subject);
    return { ...answer, headers: { ...answer.headers, ...streamLimitHeaders(runningStreams.limit, remaining) } };
  }

  /** `HEAD` also answers with the standing as JSON, for a GET. */
  async continue(request: ApiRequest, uploadId: string, method: Exclude<TusMethod, 'POST'>): Promise<ApiResponse> {
    const store = new TopicStore(this.#deps, request);
    const answer = await this.#ask(request, method, store, () => uploadId);
    if (method !== 'HEAD' || !store.known) return answer;
    const { streamId, offset, length, upload } = store.known;
    return { ...answer, body: { streamId, offset, length, expires: upload?.expires ?? null } };
  }

  async #ask(
    request: ApiRequest,
    method: TusMethod,
    store: TopicStore,
    idOf: (metadata?: Record<string, string | null>) => string | Promise<string>,
  ): Promise<Whole> {
    let [id, refusal]: [string, unknown] = ['', null];
    // Errors are answered with it too.
    request.outgoing.setHeader('Tus-Resumable', TUS_VERSION);
    const name = async (metadata?: Record<string, string | null>): Promise<string> => {
      id = await idOf(metadata);
      return id;
    };
    checkVersion(request);
    if (method !== 'POST') await name();
    const server = new Server({
      path: TUS_PATH,
      datastore: store,
      locker: this.#locks.for(store.stop),
      relativeLocation: true,
      namingFunction: (_request, metadata) => name(metadata),
      getFileIdFromRequest: () => id,
      onResponseError: (_request, error) => {
        refusal = error;
        return undefined;
      },
    });
    const response = await server.handleWeb(new Request(`http://tus${TUS_PATH}`, { method, headers: passed(request) }));
    if (refusal instanceof Error) throw refusal;
    if (response.status >= 400) throw await problemOf(response);
    const { position } = store;
    return {
      status: response.status,
      headers: { ...answered(response), ...headersOf(store) },
      ...(position !== null && { consistency: { position, projections: SHOW_STREAMS } }),
    };
  }
}

type Whole = Exclude<ApiResponse, { chunks: unknown }>;

const passed = ({ header }: ApiRequest): Headers => {
  const headers = new Headers();
  for (const name of PASSED) {
    const value = header(name);
    if (value !== undefined) headers.set(name, value);
  }
  headers.set('tus-resumable', TUS_VERSION);
  return headers;
};

/** Throws 412. A plain GET needs no header of the protocol. */
const checkVersion = ({ header, incoming }: ApiRequest): void => {
  if (incoming.method === 'GET' || header('Tus-Resumable') === TUS_VERSION) return;
  const headers = { 'Tus-Version': TUS_VERSION };
  const message = `Send the header Tus-Resumable: ${TUS_VERSION}.`;
  throw new Problem('GENERAL_BAD_REQUEST_ERROR', message, { statusCode: 412, title: 'Precondition failed', headers });
};

const answered = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries(
    ANSWERED.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value] satisfies [string, string]];
    }),
  );

const headersOf = ({ known }: TopicStore): Record<string, string> => ({
  ...(known && { 'Tributary-Stream-Id': known.streamId }),
  ...(known?.upload && { 'Upload-Expires': new Date(known.upload.expires).toUTCString() }),
});

/** A refusal of the library, in the documented shape. */
const problemOf = async (response: Response): Promise<Problem> => {
  const { status } = response;
  const message = MESSAGES.get(status) ?? (await response.text()).trim().replace(/\.*$/, '.');
  if (status === 409) return conflict(message);
  return new Problem('GENERAL_BAD_REQUEST_ERROR', message, { statusCode: status, title: TITLES.get(status) ?? 'Bad request' });
};

const MESSAGES: ReadonlyMap<number, string> = new Map([
  [409, 'Upload-Offset is not the number of bytes that have arrived. Ask for it with HEAD, and continue there.'],
  [413, 'The request has more bytes than Upload-Length has announced.'],
]);
const TITLES: ReadonlyMap<number, string> = new Map([
  [403, 'Forbidden'],
  [413, 'Too large'],
  [501, 'Not implemented'],
]);
