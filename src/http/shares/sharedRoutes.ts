import { openShare, type ShareDeps, type ShareViews } from '../../commands/shares.ts';
import { readTranscript, type Transcript } from '../../commands/transcript/readTranscript.ts';
import { Problem } from '../../domain/problem.ts';
import type { Share } from '../../domain/shares/state.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import { transcriptAttempt } from '../../domain/transcript/source.ts';
import type { Logger } from '../../logger.ts';
import type { Topics } from '../../stores/topics.ts';
import type { ExportFormat } from '../route/fileTypes.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { goneOf, pageOf, type SharedAssets } from './sharedPage.ts';

export interface SharedRouteDeps extends ShareDeps {
  readonly topics: Topics;
  readonly views: ShareViews;
  readonly logger: Logger;
  /** SHARING. */
  readonly isOn: boolean;
  readonly assets: SharedAssets;
  /** One export of a stream, as its owner gets it. `attempt` absent: the newest of each stage. */
  readonly exported: (request: ApiRequest, streamId: string, format: ExportFormat, attempt?: number) => Promise<ApiResponse>;
  /** The upload of a stream, as its owner gets it. */
  readonly uploaded: (request: ApiRequest, streamId: string) => Promise<ApiResponse>;
}

const CONTENT_TYPE = 'text/html; charset=utf-8';
/** Nothing inline, nothing from elsewhere. In lower case like helmet's, which it replaces. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'no-store',
};
const FILES = [
  { path: 'TEXT', label: 'Text' },
  { path: 'SRT', label: 'Captions (SRT)' },
  { path: 'VTT', label: 'Captions (VTT)' },
  { path: 'DOCX', label: 'Word document' },
] as const satisfies readonly { readonly path: ExportFormat; readonly label: string }[];
/** Of a stream without a transcription. */
const TEXT_FILES = FILES.filter(({ path }) => path === 'TEXT' || path === 'DOCX');
const SHARED = { tag: 'Shares', method: 'GET', access: 'open', reads: ['streams'] } as const;

/** `/s/<token>`: a shared transcript for people without an account. */
export const sharedRoutes = (deps: SharedRouteDeps): Route[] => [
  defineRoute({
    ...SHARED,
    operationId: 'getSharedPage',
    path: '/s/{token}',
    summary: 'The page of a shared transcript.',
    description: 'A page for browsers. 404 for an unknown, an expired and a revoked link.',
    responses: { 200: { description: 'The page.', schema: { type: 'string' }, contentType: CONTENT_TYPE } },
    handle: (request) => page(deps, request),
  }),
  defineRoute({
    ...SHARED,
    operationId: 'getSharedFile',
    path: '/s/{token}/{file}',
    summary: 'A download of a shared transcript.',
    description: '`TEXT`, `SRT`, `VTT`, `DOCX`, or `media`: the recording, if the link shares it.',
    responses: { 200: { description: 'The file.' } },
    handle: (request) => file(deps, request),
  }),
];

type Opened = NonNullable<Awaited<ReturnType<typeof openShare>>>;

const opened = async (deps: SharedRouteDeps, token: string): Promise<Opened | null> => (deps.isOn ? openShare(deps, token) : null);

const gone = ({ assets }: SharedRouteDeps): ApiResponse => ({
  status: 404,
  contentType: CONTENT_TYPE,
  headers: HEADERS,
  body: goneOf(assets),
});

const page = async (deps: SharedRouteDeps, request: ApiRequest<{ readonly token: string }>): Promise<ApiResponse> => {
  const { token } = request.params;
  const found = await opened(deps, token);
  if (!found) return gone(deps);
  const { share, aggregate } = found;
  const { stream } = aggregate;
  const transcript = await transcriptOf(deps, aggregate);
  const isRunning = stream.state === 'READY';
  const text = transcript || isRunning ? null : await textOf(deps, request, found);
  const recording = share.media ? await recordingOf(deps, asOwner(request, aggregate), stream.streamId) : null;
  if (request.incoming.method === 'GET') count(deps, request, stream.streamId, share, stream.creatorId);
  const files = transcript ? FILES : text === null ? [] : TEXT_FILES;
  const downloads = [...files, ...(recording ? [{ path: 'media', label: 'Recording' }] : [])];
  const body = pageOf(deps.assets, token, {
    name: stream.name ?? 'Transcript',
    createdTimestamp: stream.createdTimestamp,
    utterances: transcript?.content.utterances ?? [],
    speakers: transcript?.content.speakers ?? [],
    text: isRunning && !transcript ? 'The transcript is being made. Load this page again later.' : text,
    ...{ media: isAudible(recording), downloads },
  });
  return { status: 200, contentType: CONTENT_TYPE, headers: HEADERS, body };
};

/**
 * The attempt that made the transcript which is shown: during a rerun, and after one that failed, an earlier one. `undefined` for a stream without a
 * transcription, and while its first is made.
 */
const shownAttempt = (aggregate: StreamAggregate): number | undefined => {
  const { state, attempt } = aggregate.stream;
  try {
    return transcriptAttempt(aggregate, state === 'READY' && attempt > 1 ? attempt - 1 : attempt);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
};

/** Its newest revision. `null` without one, and if its data are deleted. */
const transcriptOf = async (deps: SharedRouteDeps, aggregate: StreamAggregate): Promise<Transcript | null> => {
  const attempt = shownAttempt(aggregate);
  try {
    return attempt === undefined ? null : await readTranscript(deps, aggregate, { attempt });
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
};

/** The owner's view of the stream, and of no other. */
const asOwner = (request: ApiRequest, { stream: { creatorId } }: StreamAggregate): ApiRequest =>
  request.with({ maybeCaller: { subject: creatorId, actor: 'share', roles: ['user'] } });

/** The texts of a stream without a transcription, such as its summary; `null` if there are none. */
const textOf = async (deps: SharedRouteDeps, request: ApiRequest, { aggregate }: Opened): Promise<string | null> => {
  const answer = await deps.exported(asOwner(request, aggregate), aggregate.stream.streamId, 'TEXT');
  if (answer.status !== 200) return null;
  if (!('chunks' in answer)) return typeof answer.body === 'string' ? answer.body : null;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.chunks) text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return text;
};

/** The upload; `null` if it is not kept any more, or not there yet. */
const recordingOf = async (deps: SharedRouteDeps, owner: ApiRequest, streamId: string): Promise<ApiResponse | null> => {
  try {
    return await deps.uploaded(owner, streamId);
  } catch (error) {
    if (error instanceof Problem && UNAVAILABLE.has(error.statusCode)) return null;
    throw error;
  }
};

const UNAVAILABLE: ReadonlySet<number> = new Set([404, 409, 410]);

const isAudible = (recording: ApiResponse | null): boolean => /^(audio|video)\//.test(recording?.contentType ?? '');

/** A page is shown although its load could not be counted. */
const count = (
  { views, logger }: SharedRouteDeps,
  { correlationId }: ApiRequest,
  streamId: string,
  share: Share,
  subject: string,
): void => {
  const context = { subject, actor: 'share', correlationId, causationId: correlationId };
  views
    .count(streamId, share, context)
    .catch((error: unknown) => logger.warn({ err: error, streamId }, 'a view of a shared page was not counted'));
};

const file = async (
  deps: SharedRouteDeps,
  request: ApiRequest<{ readonly token: string; readonly file: string }>,
): Promise<ApiResponse> => {
  const found = await opened(deps, request.params.token);
  const format = FILES.find(({ path }) => path === request.params.file)?.path;
  if (!found) return gone(deps);
  const { aggregate, share } = found;
  const { streamId } = aggregate.stream;
  const owner = asOwner(request, aggregate);
  if (request.params.file === 'media' && share.media) {
    const recording = await recordingOf(deps, owner, streamId);
    return recording ? withHeaders(recording) : gone(deps);
  }
  if (format === undefined) return gone(deps);
  const answer = await deps.exported(owner, streamId, format, shownAttempt(aggregate));
  return answer.status === 204 ? gone(deps) : withHeaders(answer);
};

const withHeaders = (answer: ApiResponse): ApiResponse => ({ ...answer, headers: { ...answer.headers, ...HEADERS } });
