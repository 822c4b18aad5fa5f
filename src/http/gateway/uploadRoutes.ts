import { randomUUID } from 'node:crypto';
import { loadStream } from '../../commands/loadStream.ts';
import { streamLimitHeaders, type UploadPlan, type UploadRecorded } from '../../commands/upload.ts';
import { Problem, unavailable } from '../../domain/problem.ts';
import { takesMedia } from '../../domain/stream/mediaSource.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import type { Stream } from '../../domain/stream/streamResource.ts';
import { commandContext } from '../route/commandContext.ts';
import { type ApiRequest, type ApiResponse, defineRoute, type Route } from '../route/route.ts';
import { shownStreamJson, streamJson } from '../streams/shownStreams.ts';
import { SHOW_STREAMS } from '../streams/streamLookup.ts';
import { STREAM_SCHEMA } from '../streams/streamSchemas.ts';
import { configurationPart } from './configurationPart.ts';
import { identify, stillUploading } from './idempotency.ts';
import { type IncomingUpload, type IngestDeps, ingest } from './ingest.ts';
import { readLinkOrBytes } from './linkBody.ts';
import { LinkFailed, type Links } from './links.ts';
import { MultipartParts } from './multipart.ts';
import { expectNoMoreParts, type MultipartUpload, openMultipart } from './multipartUpload.ts';
import type { PreparedUpload, UploadIdentity, UploadPlanner } from './planner.ts';
import { checkSameBody, hashOfSaid, isComparable, type RepeatedBody, withBody } from './sameBody.ts';
import { announcedBytes, bodyKind, checkAnnouncedLength } from './uploadBody.ts';
import { checkSpace, prepareUpload, type UploadCheckDeps } from './uploadChecks.ts';
import { UPLOAD_CONTENT } from './uploadContent.ts';
import { UPLOAD_PARAMETERS, type UploadParameters, type UploadRequest, uploadParameters, withFields } from './uploadParameters.ts';

export interface UploadRouteDeps extends IngestDeps, UploadCheckDeps {
  readonly links: Links;
}

/** A multipart body that has been read up to its file. */
interface OpenForm extends MultipartUpload {
  readonly parts: MultipartParts;
}

/** One upload after all checks that need no bytes of it. */
interface Checked {
  readonly request: ApiRequest;
  readonly prepared: PreparedUpload;
  readonly identity: UploadIdentity;
}

/** All checks are done, including those of the body's end: the stream is determined. */
type KnownUpload = Omit<IncomingUpload, 'context' | 'plan' | 'outside'> & { readonly plan: UploadPlan };

/** Serves `POST /http-gateway/api/v1/upload`. */
class UploadGateway {
  readonly #deps: UploadRouteDeps;
  readonly #planner: UploadPlanner;

  constructor(deps: UploadRouteDeps) {
    this.#deps = deps;
    this.#planner = deps.planner;
  }

  async handle(request: ApiRequest & UploadRequest): Promise<ApiResponse> {
    const { incoming, place, memory } = request;
    if (bodyKind(incoming) === 'raw') return this.#take(request, uploadParameters(request), null);
    const { limits } = this.#deps;
    const parts = new MultipartParts(incoming, limits);
    try {
      const form = await place.outside(() => openMultipart(parts, limits, memory));
      return await this.#take(request, uploadParameters(withFields(request, form.fields)), { ...form, parts });
    } catch (error) {
      throw parts.failure ?? error;
    } finally {
      parts.release();
    }
  }

  async #take(request: ApiRequest, parameters: UploadParameters, form: OpenForm | null): Promise<ApiResponse> {
    const { caller, incoming } = request;
    const identified = await identify(this.#deps.log, parameters, caller, randomUUID);
    if (identified.kind === 'done') return this.#again(request, identified.stream, form);
    // The configuration part of a multipart body may still change the engines' work.
    const prepared = await prepareUpload(this.#deps, { parameters, identity: identified.identity, caller, mayChange: form !== null });
    checkAnnouncedLength(incoming, form ? 'multipart' : 'raw', this.#deps);
    await checkSpace(this.#deps, caller.subject, announcedBytes(incoming) ?? 0);
    const checked: Checked = { request, prepared, identity: identified.identity };
    const { stream, position } = await (form ? this.#multipart(checked, form) : this.#raw(checked));
    const headers = await this.#headers(request, stream);
    return { status: 200, ...(await streamJson(stream)), headers, consistency: { position, projections: SHOW_STREAMS } };
  }

  /** The current state of an earlier try's stream. Throws 409 for another body. */
  async #again(request: ApiRequest, earlier: StreamAggregate, form: OpenForm | null): Promise<ApiResponse> {
    const { log } = this.#deps;
    if (isComparable(earlier)) await request.place.outside(() => this.#compare(request, earlier, form));
    const { stream } = (await loadStream(log, earlier.stream.streamId)) ?? earlier;
    const json = await shownStreamJson(log, stream);
    const consistency = { position: await log.head(), projections: SHOW_STREAMS };
    return { status: 200, ...json, headers: await this.#headers(request, stream), consistency };
  }

  async #compare(request: ApiRequest, earlier: StreamAggregate, form: OpenForm | null): Promise<void> {
    const body = form ? this.#repeatedForm(form) : await repeatedBytes(request, earlier);
    await checkSameBody(earlier, body, request.signal);
    if (form) await expectNoMoreParts(form.parts, form.surplus);
  }

  #repeatedForm({ configuration, stream, head }: OpenForm): RepeatedBody {
    const said = configuration && { configuration: configurationPart(configuration, this.#deps.limits.jsonMaxValues) };
    return { source: stream, head, announcedBytes: null, said };
  }

  async #headers({ caller }: ApiRequest, { streamId }: Stream): Promise<Readonly<Record<string, string>>> {
    const { runningStreams } = this.#deps;
    const remaining = await runningStreams.remaining(caller.subject);
    return { Location: `/stream-service/api/v1/streams/${streamId}`, ...streamLimitHeaders(runningStreams.limit, remaining) };
  }

  async #raw({ request, prepared, identity }: Checked): Promise<UploadRecorded> {
    const { incoming, caller, place } = request;
    const body = takesMedia(prepared.template) ? await place.outside(() => readLinkOrBytes(incoming)) : null;
    const href = body?.kind === 'link' ? await this.#deps.links.judge(body.url) : null;
    const plan = this.#planner.plan(prepared, withBody(identity, body?.kind === 'link' ? { link: body.url } : null), caller);
    if (href !== null) return this.#link(request, plan, href);
    return this.#ingest(request, { plan, source: incoming, ...(body?.kind === 'bytes' ? { head: body.head } : {}) });
  }

  /** Errors of the link's server are shown on its FAILED stream. */
  async #link(request: ApiRequest, plan: UploadPlan, href: string): Promise<UploadRecorded> {
    const { links, log } = this.#deps;
    const fetching = new AbortController();
    const source = links.open(href, AbortSignal.any([request.signal, fetching.signal]));
    try {
      return await this.#ingest(request, { plan, source, onBegun: () => {} });
    } catch (error) {
      const state = error instanceof LinkFailed ? await loadStream(log, plan.streamId) : null;
      if (state?.upload.state !== 'failed') throw error instanceof LinkFailed ? unavailable(error.message) : error;
      return { state, stream: state.stream, position: await log.head() };
    } finally {
      fetching.abort();
      source.destroy();
    }
  }

  async #multipart({ request, prepared, identity }: Checked, form: OpenForm): Promise<UploadRecorded> {
    const { parts, configuration, head, stream, fileName, surplus } = form;
    const part = configuration && configurationPart(configuration, this.#deps.limits.jsonMaxValues);
    const complete = part ? await this.#planner.configure(prepared, part) : prepared;
    await this.#planner.checkEngines(complete);
    const planned = this.#planner.plan(complete, withBody(identity, part && { configuration: part }), request.caller);
    const plan = { ...planned, fileName: planned.fileName ?? fileName };
    const atEnd = () => request.place.outside(() => expectNoMoreParts(parts, surplus));
    return this.#ingest(request, { plan, source: stream, head, atEnd });
  }

  async #ingest(request: ApiRequest, upload: KnownUpload): Promise<UploadRecorded> {
    try {
      return await ingest(this.#deps, { ...upload, context: commandContext(request), outside: request.place.outside });
    } catch (error) {
      throw await this.#meaningOf(error, upload.plan);
    }
  }

  /** Of two simultaneous uploads with one key, the later one is referred to the first. */
  async #meaningOf(error: unknown, { streamId, idempotency }: UploadPlan): Promise<unknown> {
    if (!idempotency || !(error instanceof Problem) || error.statusCode !== 409) return error;
    const other = await loadStream(this.#deps.log, streamId);
    return other?.upload.state === 'open' && other.idempotency?.fingerprint === idempotency.fingerprint ? stillUploading() : error;
  }
}

/** Only where the earlier body was a link, this one is read as one. */
const repeatedBytes = async ({ incoming }: ApiRequest, { idempotency }: StreamAggregate): Promise<RepeatedBody> => {
  const body = idempotency?.body === hashOfSaid(null) ? null : await readLinkOrBytes(incoming);
  return {
    source: incoming,
    head: body?.head ?? Buffer.alloc(0),
    announcedBytes: announcedBytes(incoming),
    said: body?.kind === 'link' ? { link: body.url } : null,
  };
};

/** The upload operation. Its patches and webhooks are read from the raw query. */
export const uploadRoutes = (deps: UploadRouteDeps): Route[] => {
  const gateway = new UploadGateway(deps);
  return [
    defineRoute({
      operationId: 'upload',
      tag: 'Upload',
      method: 'POST',
      path: '/http-gateway/api/v1/upload',
      summary: 'Uploads bytes, or a link to them, and creates a stream. Undocumented query parameters patch the template.',
      description:
        'Send the bytes with any content type except multipart, or `multipart/form-data` with the file as its last part; before it may come one JSON configuration part, and ordinary fields, which are parameters like those of the query. If the template takes media, you can send one http(s) URL as text; the platform fetches it.\n\nEvery query parameter that is not documented patches the template, such as `summary=true`: `v` replaces, `+v` adds and `-` removes. The prefix `patches.` marks a patch explicitly. `webhook[.RESOURCE[.STATE]]=<url>` is a dynamic webhook, at most 3 URLs. `redact=email,phone,...` joins redaction to a built-in chain that transcribes; `redactPatterns`, `redactRegion` and `keepMedia` refine it. `vocabulary=@name` takes a saved vocabulary.\n\nEverything that does not need the body is checked before the body is read. The answer is sent when all bytes are durable. A link is answered after it has been fetched.',
      access: 'authenticated',
      query: UPLOAD_PARAMETERS,
      headers: ['Idempotency-Key', 'X-Template-Patch', 'X-Vat-Meta-Template-Patch'],
      body: { kind: 'raw', contentTypes: ['*/*'], documented: UPLOAD_CONTENT },
      responses: {
        200: {
          description: 'The stream. All its bytes are durable.',
          schema: STREAM_SCHEMA,
          headers: ['Location', 'RateLimit', 'RateLimit-Policy'],
        },
        404: { description: 'The template does not exist, or the group belongs to another owner.' },
        409: {
          description:
            'The id is in use, the stream was canceled during the upload, or the `Idempotency-Key` was used with other parameters or another body.',
        },
        413: { description: 'The body is too large.' },
        415: { description: 'The body has a content encoding, or is multipart of another kind.' },
        429: {
          description: 'Too many running streams, or your requests, answers and sockets hold too much memory.',
        },
      },
      handle: (request) => gateway.handle(request),
    }),
  ];
};
