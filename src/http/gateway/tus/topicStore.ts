import type { Readable } from 'node:stream';
import { DataStore, Metadata, Upload } from '@tus/server';
import type { Clock } from '../../../clock.ts';
import { loadStream } from '../../../commands/loadStream.ts';
import type { ResumableUpload } from '../../../commands/resumableUploads.ts';
import { conflict, notFound, type Problem } from '../../../domain/problem.ts';
import type { StreamAggregate } from '../../../domain/stream/state.ts';
import type { Position } from '../../../stores/eventStore.ts';
import { pump } from '../../../stores/pump.ts';
import { tooLarge } from '../../errors/errors.ts';
import { commandContext } from '../../route/commandContext.ts';
import type { ApiRequest } from '../../route/route.ts';
import { appendFrame, type FrameDeps } from '../appendFrame.ts';
import { type CompletionDeps, completeResumable } from './completeResumable.ts';
import { TUS_EXTENSIONS } from './tus.ts';

export interface TopicStoreDeps extends CompletionDeps, FrameDeps {
  readonly topics: CompletionDeps['topics'];
  readonly clock: Clock;
}

/** How often at most the time of an upload is moved while its bytes arrive. */
const TOUCH_MILLISECONDS = 60_000;

const missing = (): Problem => notFound('upload. It may have expired. Upload again');
const wrongOffset = (bytes: number): Problem =>
  conflict(`Upload-Offset is not the number of bytes that have arrived (${bytes}). Ask for it with HEAD, and continue there.`);
const replaced = (): Problem =>
  conflict('Another request continues this upload. Ask for its Upload-Offset with HEAD.', { headers: { Connection: 'close' } });

/** Where a resumable upload stands. `upload`: `null` once its stream exists. */
export interface Standing {
  readonly streamId: string;
  readonly upload: ResumableUpload | null;
  readonly offset: number;
  readonly length: number;
}

/** The store of `@tus/server` for one request: the bytes of uploads go into topics. The library checks the protocol and calls it under the upload's lock. */
export class TopicStore extends DataStore {
  override extensions = [...TUS_EXTENSIONS];
  readonly #deps: TopicStoreDeps;
  readonly #request: ApiRequest;
  readonly #stop = new AbortController();
  protected standing: Standing | null = null;
  /** Of the stream that this request has created. */
  position: Position | null = null;

  constructor(deps: TopicStoreDeps, request: ApiRequest) {
    super();
    this.#deps = deps;
    this.#request = request;
  }

  /** Ends the work of this request: another one continues the upload. */
  readonly stop = (): void => this.#stop.abort(replaced());

  /** As far as this request knows it. */
  get known(): Standing | null {
    return this.standing;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { upload, offset, length } = await this.find(id);
    const metadata = upload?.metadata ? Metadata.parse(upload.metadata) : undefined;
    return new Upload({ id, size: length, offset, ...(metadata && { metadata }) });
  }

  /** Reads the body from the request itself: the library's copy of it would lose what has arrived when the connection breaks. */
  override async write(copy: Readable, _id: string, offset: number): Promise<number> {
    copy.resume();
    const { upload, offset: arrived } = this.standing ?? { upload: null, offset };
    if (!upload) return offset;
    // A repeated creation brings bytes that are here already.
    if (arrived > offset) return arrived;
    const touched = await this.#deps.resumableUploads.touch(upload);
    if (!touched) throw missing();
    const { bytes } = await this.#deps.topics.resume(upload.topic);
    if (bytes !== offset) throw wrongOffset(bytes);
    try {
      const reached = offset + (await this.#receive(touched, offset));
      this.standing = { streamId: upload.streamId, upload: touched, offset: reached, length: upload.length };
    } finally {
      await this.#deps.resumableUploads.touch(touched);
    }
    if (this.standing.offset === upload.length) await this.#complete(touched);
    return this.standing.offset;
  }

  override async remove(id: string): Promise<void> {
    const { upload } = await this.find(id);
    if (!upload) throw conflict('This upload is complete: it is a stream now. Cancel or delete the stream.');
    await this.#deps.resumableUploads.discard(upload);
  }

  protected async find(uploadId: string): Promise<Standing> {
    const { log, resumableUploads, topics } = this.#deps;
    const { subject } = this.#request.caller;
    const upload = await resumableUploads.get(uploadId);
    if (upload && upload.owner !== subject) throw missing();
    if (!upload) return this.#finished(uploadId, await loadStream(log, uploadId));
    const size = await topics.size(upload.topic);
    if (!size) {
      await resumableUploads.discard(upload);
      throw missing();
    }
    this.standing = { streamId: upload.streamId, upload, offset: size.bytes, length: upload.length };
    // The answer to its last byte was lost, or its stream could not be created then.
    if (size.bytes === upload.length) await this.#complete(upload);
    return this.standing;
  }

  #finished(streamId: string, loaded: StreamAggregate | null): Standing {
    const bytes = loaded?.upload.bytes ?? null;
    if (bytes === null || loaded?.stream.creatorId !== this.#request.caller.subject) throw missing();
    this.standing = { streamId, upload: null, offset: bytes, length: bytes };
    return this.standing;
  }

  #receive(upload: ResumableUpload, offset: number): Promise<number> {
    const { incoming: source, memory: held, place, caller } = this.#request;
    const { clock, resumableUploads } = this.#deps;
    const { signal } = this.#stop;
    const moveAfter = Math.min(TOUCH_MILLISECONDS, resumableUploads.expireMilliseconds / 4);
    let moved = clock.monotonic();
    const write = async (frame: readonly Uint8Array[]): Promise<void> => {
      await appendFrame(this.#deps, { topic: upload.topic, frame, source, owner: caller.subject, held, signal });
      if (clock.monotonic() - moved < moveAfter) return;
      moved = clock.monotonic();
      if (!(await resumableUploads.touch(upload))) throw missing();
    };
    const options = { limitBytes: upload.length - offset, tooLarge: () => tooLarge(upload.length), signal, open: async () => {}, write };
    return place.outside(() => pump(source, options));
  }

  async #complete(upload: ResumableUpload): Promise<void> {
    this.position = await completeResumable(this.#deps, upload, commandContext(this.#request));
    this.standing = { streamId: upload.streamId, upload: null, offset: upload.length, length: upload.length };
  }
}
