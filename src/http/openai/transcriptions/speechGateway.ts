import { randomUUID } from 'node:crypto';
import { cancelIfRunning } from '../../../commands/changeOwnStream.ts';
import { isFull } from '../../../commands/openStreams/places.ts';
import { tooManyStreams, type UploadPlan } from '../../../commands/upload.ts';
import { Problem } from '../../../domain/problem.ts';
import { streamEventStream } from '../../../domain/stream/events.ts';
import { warningsOf } from '../../../domain/stream/warnings.ts';
import type { Limits } from '../../../limits.ts';
import type { KeptBytes } from '../../../projections/keptBytes.ts';
import { streamsProjection } from '../../../projections/streams.ts';
import { isFailure, problemOf, unforeseen } from '../../errors/errors.ts';
import { OpenAiProblem, openAiError, withHeaders } from '../../errors/openAiErrors.ts';
import { type IngestDeps, ingest } from '../../gateway/ingest.ts';
import { type PreparedUpload, type UploadPlanner, unpatched } from '../../gateway/planner.ts';
import { announcedBytes, checkAnnouncedLength } from '../../gateway/uploadBody.ts';
import type { ResponseDeps } from '../../gateway/webSocket/responses.ts';
import { checkRoom } from '../../route/admission.ts';
import { commandContext } from '../../route/commandContext.ts';
import type { ApiRequest, ApiResponse } from '../../route/route.ts';
import type { SpeechModels } from '../models/speechModels.ts';
import { endOfSpeech, finishedSpeech } from './finishedSpeech.ts';
import { speechAnswer } from './speechAnswer.ts';
import { SpeechForm } from './speechForm.ts';
import { speechPatches } from './speechPatches.ts';
import { type SpeechRequest, type SpeechTask, speechRequest } from './speechRequest.ts';
import { transcriptEvents } from './transcriptEvents.ts';

export interface SpeechDeps extends IngestDeps, Omit<ResponseDeps, 'topics'> {
  readonly planner: UploadPlanner;
  readonly keptBytes: Pick<KeptBytes, 'check'>;
  readonly models: SpeechModels;
  /** Milliseconds from the request to its answer (OPENAI_MAX_WAIT_MS). */
  readonly maxWait: number;
  readonly limits: Limits;
}

/** The settings from a request's fields. */
interface Prepared {
  readonly request: SpeechRequest;
  readonly upload: PreparedUpload;
}

type SpeechApi = ApiRequest<unknown, { readonly persist: boolean }>;

/**
 * Serves `POST /v1/audio/transcriptions` and `/translations`. The form's file is written to its topic as it arrives; the stream is created at the
 * end of the form, when all fields are known, and is then an ordinary one. The request waits for its end; if the client leaves, the stream is
 * canceled.
 */
export class SpeechGateway {
  readonly #deps: SpeechDeps;

  constructor(deps: SpeechDeps) {
    this.#deps = deps;
  }

  async handle(api: SpeechApi, task: SpeechTask): Promise<ApiResponse> {
    const { caller, incoming, outgoing, signal } = api;
    if (await isFull(this.#deps, caller.subject)) throw tooManyStreams(this.#deps.runningStreams);
    checkAnnouncedLength(incoming, 'multipart', this.#deps);
    const announced = announcedBytes(incoming) ?? 0;
    checkRoom(this.#deps.disk, announced);
    await this.#deps.keptBytes.check(caller.subject, announced);
    const wait = new Wait(this.#deps, signal);
    const streamId = randomUUID();
    // Retention keeps the stream from its start.
    const leave = await this.#deps.liveReaders.enter(streamId);
    const end = async (): Promise<void> => {
      wait.end();
      await leave();
    };
    try {
      const request = await this.#accept(api, task, streamId);
      const answer = request.stream ? this.#streamed(api, streamId, request, wait, end) : this.#whole(api, streamId, request, wait);
      const response = await answer.catch(async (error: unknown) => {
        throw await this.#meaningOf(api, streamId, error);
      });
      if (!request.stream) await end();
      return response;
    } catch (error) {
      await end();
      // The client has left: its answer is not read.
      if (outgoing.destroyed) return { status: 204 };
      throw error;
    }
  }

  async #accept(api: SpeechApi, task: SpeechTask, streamId: string): Promise<SpeechRequest> {
    const { outside } = api.place;
    const form = new SpeechForm(api.incoming, this.#deps.limits, api.memory);
    try {
      const { head, stream, fileName } = await outside(() => form.file());
      // Invalid fields before the file are refused before the file is sent.
      let prepared = form.fields.has('model') ? await this.#prepare(api, form, task) : null;
      const dataSourceId = randomUUID();
      const make = async (): Promise<UploadPlan> => {
        if ((await outside(() => form.rest())) || !prepared) prepared = await this.#prepare(api, form, task);
        const identity = { streamId, idGenerated: true, idempotency: null, dataSourceId };
        return { ...this.#deps.planner.plan(prepared.upload, identity, api.caller), fileName };
      };
      const plan = { topic: this.#deps.planner.dataSourceTopic(dataSourceId), make };
      await ingest(this.#deps, { plan, context: commandContext(api), source: stream, head, outside });
      if (!prepared) throw new Error('an upload has its plan');
      return prepared.request;
    } catch (error) {
      throw form.failure ?? error;
    } finally {
      form.release();
    }
  }

  async #prepare(api: SpeechApi, form: SpeechForm, task: SpeechTask): Promise<Prepared> {
    const { planner, models } = this.#deps;
    const request = speechRequest(form.fields, task);
    const diarized = request.format === 'diarized_json';
    const named = await models.template(api.caller, request.model, 'recorded');
    const template = diarized ? await models.diarizing(api.caller) : named;
    const parameters = {
      ...unpatched(template.id),
      persist: { persist: api.query.persist, tags: [], match: 'ANY' as const },
      patches: speechPatches(template, request),
    };
    const upload = await planner.prepare(parameters, api.caller);
    await planner.checkEngines(upload).catch((error: unknown) => {
      throw error instanceof Problem ? withHeaders(error, { 'x-should-retry': 'false' }) : error;
    });
    return { request, upload };
  }

  async #whole({ place, memory }: SpeechApi, streamId: string, request: SpeechRequest, wait: Wait): Promise<ApiResponse> {
    const document = await place.outside(() => endOfSpeech(this.#deps, streamId, wait.signal));
    const finished = await finishedSpeech(this.#deps.topics, document, memory, wait.signal);
    return { ...speechAnswer(finished, request), headers: headersOf(streamId, request, warningsOf(document)) };
  }

  async #streamed(api: SpeechApi, streamId: string, request: SpeechRequest, wait: Wait, end: () => Promise<void>): Promise<ApiResponse> {
    const document = await this.#deps.readModels.getFresh(streamsProjection, streamId, streamEventStream(streamId));
    if (!document) throw new Error(`stream ${streamId} is not in the read model`);
    api.place.leave();
    return {
      status: 200,
      contentType: 'text/event-stream; charset=utf-8',
      headers: { ...headersOf(streamId, request), 'X-Accel-Buffering': 'no' },
      chunks: this.#lines(api, transcriptEvents(this.#deps, document, request, api.memory, wait.signal), streamId, end),
    };
  }

  /** Server-sent events. The status is already sent, so a failure is an event. */
  async *#lines(api: SpeechApi, events: AsyncIterable<object>, streamId: string, end: () => Promise<void>): AsyncGenerator<string> {
    let ended = false;
    try {
      for await (const event of events) yield eventText(event);
      ended = true;
    } catch (error) {
      ended = true;
      const meaning = await this.#meaningOf(api, streamId, error);
      const problem = problemOf(meaning) ?? unforeseen();
      if (isFailure(meaning) && !api.signal.aborted)
        this.#deps.logger.error({ err: meaning, correlationId: api.correlationId }, 'streaming a transcription failed');
      yield `event: error\n${eventText({ type: 'error', ...openAiError(problem) })}`;
    } finally {
      // The reader left between two events.
      if (!ended) await this.#cancel(api, streamId);
      await end();
    }
  }

  /** Converts the end of a wait to the caller's answer. If the caller has left, their stream is canceled. */
  async #meaningOf(api: SpeechApi, streamId: string, error: unknown): Promise<unknown> {
    if (api.signal.aborted) await this.#cancel(api, streamId);
    if (error === TIMED_OUT) return stillRunning(streamId);
    return error instanceof Problem ? withHeaders(error, { 'x-stream-id': streamId }) : error;
  }

  async #cancel(api: SpeechApi, streamId: string): Promise<void> {
    await cancelIfRunning(this.#deps, streamId, commandContext(api)).catch((error: unknown) => {
      this.#deps.logger.warn({ err: error, streamId }, 'the stream of a client that left could not be canceled');
    });
  }
}

/** `warnings`: codes of the warnings in the result. A streamed answer begins before they are known. */
const headersOf = (streamId: string, { warning }: SpeechRequest, warnings: readonly string[] = []): Readonly<Record<string, string>> => {
  const all = [...(warning === null ? [] : [warning]), ...warnings];
  return { 'x-stream-id': streamId, ...(all.length > 0 && { 'x-tributary-warning': all.join('; ') }) };
};

/** Why a signal aborts after the longest wait. */
const TIMED_OUT = new Error('the longest wait is over');

/** Aborts when the client leaves, and with `TIMED_OUT` after the longest wait. */
class Wait {
  readonly signal: AbortSignal;
  readonly #over = new AbortController();

  constructor({ clock, maxWait }: SpeechDeps, client: AbortSignal) {
    const late = new AbortController();
    this.signal = AbortSignal.any([client, late.signal]);
    void clock.pause(maxWait, this.#over.signal).then((pause) => {
      if (pause === 'elapsed') late.abort(TIMED_OUT);
    });
  }

  end(): void {
    this.#over.abort();
  }
}

const eventText = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

const stillRunning = (streamId: string): OpenAiProblem =>
  new OpenAiProblem(
    'GENERAL_TIME_OUT_ERROR',
    `The stream ${streamId} is still being processed. Do not upload again: follow it under /stream-service/api/v1/streams/${streamId}.`,
    { headers: { 'x-should-retry': 'false', 'x-stream-id': streamId } },
  );
