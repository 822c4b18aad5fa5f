import type { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import type { AppendContext } from '../../commands/handle.ts';
import { measureRuns } from '../../commands/measureRuns.ts';
import { ServerFull } from '../../commands/slots/slots.ts';
import {
  beginUpload,
  completeUpload,
  failUpload,
  isStoredAtOnce,
  type UploadDeps,
  type UploadPlan,
  type UploadRecorded,
} from '../../commands/upload.ts';
import type { UploadsInHand } from '../../commands/uploadsInHand.ts';
import { conflict, Problem } from '../../domain/problem.ts';
import type { UploadFailure, UsedByRuns } from '../../domain/stream/decisions.ts';
import { topicId } from '../../domain/stream/streamConfiguration.ts';
import type { Logger } from '../../logger.ts';
import type { DiskSpace } from '../../stores/diskSpace.ts';
import { StoreUnavailable } from '../../stores/eventStore.ts';
import { BrokenOff, pump } from '../../stores/pump.ts';
import { lengthOf, MAX_WHOLE_BYTES, type Manifest, TopicMissing, type Topics } from '../../stores/topics.ts';
import { retrying } from '../../supervision/retrying.ts';
import { HEAVY_BYTES, weightOf } from '../../weight.ts';
import { checkRoom } from '../server/admission.ts';
import { badRequest, tooLarge } from '../server/errors.ts';
import type { Traffic } from '../traffic.ts';
import { type Gathered, gather } from './gather.ts';
import { gatheredBytes } from './gatheredBytes.ts';
import { holdPlan } from './heldPlans.ts';
import { LinkFailed } from './links.ts';
import { type UploadWatchDeps, watchUpload } from './uploadWatch.ts';

export interface IngestDeps extends UploadDeps, UploadWatchDeps {
  readonly uploadsInHand: UploadsInHand;
  readonly topics: Topics;
  readonly disk: DiskSpace;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly traffic: Traffic;
  readonly maxBytes: number;
}

/** For a body that defines its stream only at its end: the bytes wait in a topic, and the stream is created when all of them have arrived. */
export interface LatePlan {
  /** Name of the topic, which is the data source in the plan. */
  readonly topic: string;
  /** Called when the source has ended. A rejection leaves neither bytes nor a stream. */
  readonly make: () => Promise<UploadPlan>;
}

/** A body being stored in one stream. */
export interface Ingest {
  readonly plan: UploadPlan | LatePlan;
  readonly context: AppendContext;
  readonly source: Readable;
  readonly head?: Uint8Array;
  /** If given, the stream is created at once, even without a byte, and is passed to this function. */
  readonly onBegun?: (begun: UploadRecorded) => void | Promise<void>;
  /** Runs when the source has ended, before the upload counts as complete. A rejection fails the upload. */
  readonly atEnd?: () => Promise<void>;
}

/** How long recording the end of an upload is retried while the log is away. */
const REPEAT_MILLISECONDS = 23 * 60_000;
/** A small body usually arrives whole. If it takes longer, readers may want to follow the stream. */
const WHOLE_MILLISECONDS = 20;
const none = async (): Promise<void> => {};
const NOBODY: UsedByRuns = new Map();
// Created once: the default reason builds an exception with its stack each time.
const CLOSED = new Error('the body has ended');

const canceled = (): Problem => conflict('The stream was canceled during the upload.', { headers: { Connection: 'close' } });

/** Whether the stream may exist although the command failed. */
const isUnclear = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Problem && error.statusCode === 503 && !(error instanceof ServerFull));

/** The reason on the stream of a failed upload, and what chooses the advice on it. */
const failureOf = (error: unknown): UploadFailure => {
  if (error instanceof LinkFailed) return { reason: error.message, cause: error.failureCause };
  if (error instanceof BrokenOff) return { reason: error.message };
  if (error instanceof Problem && error.statusCode < 500)
    return { reason: error.message, ...(error.statusCode === 413 && { cause: 'TOO_LARGE' }) };
  return { reason: 'The upload did not finish.' };
};

/**
 * Stores a body in a new stream. A small one that arrives at once is stored in one commit with its stream. Any other: waiting (no bytes have
 * arrived, nothing exists) -> open (from the first byte, or at once: the topic is created, the stream is created while bytes are being written) ->
 * complete (synced, then `UploadCompleted`), or failed (`UploadFailed`, no bytes left). While it is open, a cancellation on any node stops the body with
 * a 409.
 */
class UploadIngest {
  readonly #deps: IngestDeps;
  readonly #ingest: Ingest;
  readonly #topic: string;
  readonly #stop = new AbortController();
  readonly #closed = new AbortController();
  #plan: UploadPlan | null;
  #ended = false;
  #opened: Promise<void> | null = null;
  #begun: Promise<UploadRecorded> | null = null;
  #sealing: Promise<Manifest> | null = null;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> | null = null;
  /** While it counts among the uploads in hand. */
  #inHand: (() => void) | null = null;

  constructor(deps: IngestDeps, ingest: Ingest) {
    this.#deps = deps;
    this.#ingest = ingest;
    this.#plan = 'make' in ingest.plan ? null : ingest.plan;
    this.#topic = topicId('make' in ingest.plan ? ingest.plan.topic : ingest.plan.configuration.dataSource.topic);
  }

  async run(): Promise<UploadRecorded> {
    const { plan, source, onBegun } = this.#ingest;
    try {
      if (onBegun || 'make' in plan || !this.#mayBeWhole(plan)) return await this.#takeUp(null);
      const gathered = await this.#gather(source);
      const stored = gathered.whole ? await this.#storeWhole(plan, gathered) : null;
      this.#afterHand();
      return stored ?? (await this.#takeUp(gathered));
    } finally {
      this.#afterHand();
      this.#closed.abort(CLOSED);
    }
  }

  #mayBeWhole(plan: UploadPlan): boolean {
    const { topics } = this.#deps;
    return topics.storeWhole !== undefined || (topics.whole !== undefined && isStoredAtOnce(this.#deps, plan));
  }

  #afterHand(): void {
    this.#inHand?.();
    this.#inHand = null;
  }

  #gather(source: Readable): Promise<Gathered> {
    const { head } = this.#ingest;
    const { clock, maxBytes, uploadsInHand } = this.#deps;
    const onFirst = () => {
      this.#inHand = uploadsInHand.begin();
    };
    return gather(source, { clock, head, limitBytes: Math.min(MAX_WHOLE_BYTES, maxBytes), milliseconds: WHOLE_MILLISECONDS, onFirst });
  }

  /**
   * Stores bytes and stream in one commit, or the bytes in one request and then the stream. `null` if the upload must be stored step by step: it is empty or
   * invalid at its end.
   */
  async #storeWhole(plan: UploadPlan, gathered: Gathered): Promise<UploadRecorded | null> {
    if (gathered.bytes === 0 || !(await this.#endsWell())) return null;
    checkRoom(this.#deps.disk, gathered.bytes);
    return this.#storeInTurn(plan, gathered);
  }

  async #storeInTurn(plan: UploadPlan, { pieces, bytes }: Gathered): Promise<UploadRecorded | null> {
    const pacing = this.#paced(bytes);
    // Other users' runs do not wait for an upload that waits itself.
    if (pacing) this.#afterHand();
    await pacing;
    const { topics } = this.#deps;
    const attributes = { streamId: plan.streamId };
    if (topics.storeWhole) return this.#storeApart(plan, topics.storeWhole(this.#topic, [pieces], attributes));
    const topic = topics.whole?.(this.#topic, [pieces], attributes);
    return topic ? beginUpload(this.#deps, plan, this.#ingest.context, topic) : null;
  }

  /** Stores the bytes while `beginUpload` takes the slot and joins the group; the stream is appended after the bytes. */
  async #storeApart(plan: UploadPlan, storing: Promise<Manifest>): Promise<UploadRecorded> {
    storing.catch(() => undefined);
    try {
      return await beginUpload(this.#deps, plan, this.#ingest.context, storing);
    } catch (error) {
      await storing.catch(() => undefined);
      // If the outcome is unclear, the stream may exist and needs its bytes.
      if (!isUnclear(error)) await this.#deleteBytes();
      throw error;
    }
  }

  async #endsWell(): Promise<boolean> {
    try {
      await this.#atEnd();
      return true;
    } catch {
      // The same rejection is handled after the last byte.
      return false;
    }
  }

  #atEnd(): Promise<void> {
    this.#ending ??= (this.#ingest.atEnd ?? none)();
    return this.#ending;
  }

  /** Stores the body step by step, as it arrives. */
  async #takeUp(gathered: Gathered | null): Promise<UploadRecorded> {
    const letGo = this.#plan && (await this.#holdPlan(this.#plan));
    try {
      return await this.#complete(await this.#take(gathered));
    } finally {
      letGo?.();
    }
  }

  async #holdPlan(plan: UploadPlan): Promise<() => void> {
    const bytes = weightOf(plan.configuration);
    try {
      return holdPlan(this.#ingest.context.subject, bytes);
    } finally {
      // To resolve and store it costs about as much as to move these bytes, also if it is refused.
      if (bytes > HEAVY_BYTES) await this.#paced(bytes);
    }
  }

  /** Syncs all bytes and creates their stream in parallel. */
  async #take(gathered: Gathered | null): Promise<{ begun: UploadRecorded; manifest: Manifest }> {
    const { source, atEnd, onBegun, plan } = this.#ingest;
    const head = gathered ? Buffer.concat(gathered.pieces) : this.#ingest.head;
    const room = gatheredBytes.roomOf(this.#ingest.context.subject);
    const options = { limitBytes: this.#deps.maxBytes, tooLarge, signal: this.#stop.signal, room, ...(head ? { head } : {}) };
    try {
      if (onBegun) await onBegun(await this.#beginAtOnce());
      await pump(source, { ...options, open: () => this.#openOnce(), write: (frame, isLast) => this.#write(frame, isLast) });
      this.#ended = true;
      if (atEnd) {
        await this.#atEnd();
        // The seal may be in a later write than the last frame, and must not follow a failed one.
        await this.#lastWrite;
      }
      if (!this.#opened) throw badRequest('The body is empty. Send the bytes to upload.');
      const { streamId } = 'make' in plan ? await this.#planNow(plan) : plan;
      if (!this.#begun) throw new Error('an open upload has begun');
      this.#sealing = this.#deps.topics.seal(this.#topic, { streamId });
      const [begun, manifest] = await Promise.all([this.#begun, this.#sealing, this.#lastWrite]);
      return { begun, manifest };
    } catch (error) {
      await this.#giveUp(error);
      // Deleted meanwhile, together with its stream.
      throw error instanceof TopicMissing ? canceled() : error;
    }
  }

  async #planNow(late: LatePlan): Promise<UploadPlan> {
    // The seal must not follow a failed write.
    await this.#lastWrite;
    const plan = await late.make();
    this.#begin(plan);
    return plan;
  }

  async #beginAtOnce(): Promise<UploadRecorded> {
    this.#opened = this.#open();
    await this.#opened;
    if (!this.#begun) throw new Error('upload started');
    return this.#begun;
  }

  #openOnce(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Does not wait for the last frame, which is written together with the seal. */
  async #write(frame: readonly Uint8Array[], isLast: boolean): Promise<void> {
    checkRoom(this.#deps.disk, lengthOf(frame));
    await this.#paced(lengthOf(frame));
    const writing = this.#deps.topics.append(this.#topic, [frame]);
    if (!isLast) await writing;
    else {
      this.#lastWrite = writing;
      writing.catch(() => {});
    }
  }

  #paced(bytes: number): Promise<unknown> | undefined {
    return this.#deps.traffic.wait(this.#ingest.context.subject, bytes);
  }

  /** The topic is created before the stream, so that everyone who sees the stream can read it. */
  async #open(): Promise<void> {
    checkRoom(this.#deps.disk);
    await this.#deps.topics.create(this.#topic);
    if (this.#plan) this.#begin(this.#plan);
  }

  #begin(plan: UploadPlan): void {
    this.#plan = plan;
    this.#begun = beginUpload(this.#deps, plan, this.#ingest.context);
    this.#begun.then(
      () => this.#watch(plan.streamId),
      (error: unknown) => this.#stop.abort(error),
    );
  }

  #watch(streamId: string): Promise<void> {
    const watched = {
      streamId,
      hasEnded: () => this.#ended,
      onFailed: () => this.#stop.abort(canceled()),
      onError: (error: unknown) => this.#deps.logger.debug({ err: error, ...this.#about }, 'checking an upload for cancellation failed'),
    };
    return watchUpload(this.#deps, watched, this.#closed.signal);
  }

  async #complete({ begun, manifest }: { begun: UploadRecorded; manifest: Manifest }): Promise<UploadRecorded> {
    const { context } = this.#ingest;
    const { streamId } = begun.stream;
    const { bytes, frames, sha256 } = manifest;
    const complete = () => completeUpload(this.#deps, { streamId, bytes, frames, sha256 }, context);
    try {
      const { position, ...recorded } = await complete();
      return { ...recorded, position: position ?? begun.position };
    } catch (error) {
      if (isUnclear(error)) this.#repeat(complete);
      else await this.#deleteBytes();
      throw error instanceof Problem && error.statusCode === 409 ? canceled() : error;
    }
  }

  /** Deletes the bytes, and fails the stream, if it exists, with its reason. */
  async #giveUp(error: unknown): Promise<void> {
    if (!this.#opened) return;
    await this.#opened.catch(() => {});
    const begun = await this.#begun?.then(
      () => true,
      (failure: unknown) => isUnclear(failure),
    );
    await this.#sealing?.catch(() => {});
    const { context } = this.#ingest;
    const streamId = begun && this.#plan ? this.#plan.streamId : null;
    const used = streamId ? await measureRuns(this.#deps, streamId).catch(() => NOBODY) : NOBODY;
    await this.#deleteBytes();
    if (streamId === null) return;
    const fail = () => failUpload(this.#deps, { streamId, ...failureOf(error), used }, context);
    await fail().catch((failure: unknown) => {
      if (isUnclear(failure)) this.#repeat(fail);
      else this.#deps.logger.warn({ err: failure, ...this.#about }, 'recording a failed upload failed');
    });
  }

  /** For log lines. */
  get #about(): { streamId: string | null; correlationId: string } {
    return { streamId: this.#plan?.streamId ?? null, correlationId: this.#ingest.context.correlationId };
  }

  async #deleteBytes(): Promise<void> {
    await this.#deps.topics.delete(this.#topic).catch((error: unknown) => {
      this.#deps.logger.warn({ err: error, topic: this.#topic, ...this.#about }, 'deleting the bytes of a failed upload failed');
    });
  }

  /** An outcome that the log could not store is retried; the answer does not wait for that. */
  async #repeat(record: () => Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#deps;
    const until = clock.monotonic() + REPEAT_MILLISECONDS;
    const retryIf = (error: unknown) => isUnclear(error) && clock.monotonic() < until;
    await retrying(record, { clock, retryIf }).catch((error: unknown) => {
      if (isUnclear(error)) logger.error({ err: error, ...this.#about }, 'recording the end of an upload failed');
    });
  }
}

/**
 * Resolves when the stream's bytes are synced and recorded in its log. Rejects with a `Problem`: 400 for an empty body (then nothing exists), 413,
 * 409 if the id is in use or the stream was canceled meanwhile, 429, 404 for another owner's group; with `BrokenOff` if the client left.
 */
export const ingest = (deps: IngestDeps, upload: Ingest): Promise<UploadRecorded> => new UploadIngest(deps, upload).run();
