import { randomUUID } from 'node:crypto';
import type { Upload } from '@tus/server';
import { reservePlace } from '../../../commands/openStreams/places.ts';
import type { NewResumableUpload, ResumableUpload } from '../../../commands/resumableUploads.ts';
import { tooManyStreams, type UploadPlan } from '../../../commands/upload.ts';
import type { StreamAggregate } from '../../../domain/stream/state.ts';
import { topicId } from '../../../domain/stream/streamConfiguration.ts';
import type { KeptBytes } from '../../../projections/keptBytes.ts';
import { badRequest, tooLarge } from '../../errors/errors.ts';
import type { ApiRequest } from '../../route/route.ts';
import { type Identified, identify, inUse, otherParameters } from '../idempotency.ts';
import { isComparable, otherBody, withBody } from '../sameBody.ts';
import { checkSpace, prepareUpload, type UploadCheckDeps } from '../uploadChecks.ts';
import { fingerprintOf, type UploadParameters, type UploadRequest, uploadParameters, withFields } from '../uploadParameters.ts';
import { TopicStore, type TopicStoreDeps } from './topicStore.ts';
import { fieldsOf, type UploadMetadata } from './uploadMetadata.ts';

export interface NewUploadDeps extends TopicStoreDeps, UploadCheckDeps {
  readonly keptBytes: Pick<KeptBytes, 'check' | 'changed'>;
  readonly disk: UploadCheckDeps['disk'];
  readonly maxBytes: number;
}

/** The store for the creation of a resumable upload: runs every check that needs no bytes. */
export class NewUploadStore extends TopicStore {
  readonly #deps: NewUploadDeps;
  readonly #request: ApiRequest & UploadRequest;
  #parameters: UploadParameters | null = null;
  #identified: Identified | null = null;

  constructor(deps: NewUploadDeps, request: ApiRequest & UploadRequest) {
    super(deps, request);
    this.#deps = deps;
    this.#request = request;
  }

  /** The id of the new upload. Its stream will have it too, unless there is one already under the same key. */
  async name(metadata: UploadMetadata | undefined): Promise<string> {
    const isNamed = this.#request.rawQuery.valuesOf('fileName').length > 0;
    this.#parameters = uploadParameters(withFields(this.#request, fieldsOf(metadata ?? {}, isNamed)));
    this.#identified = await identify(this.#deps.log, this.#parameters, this.#request.caller, randomUUID);
    return this.#identified.kind === 'new' ? this.#identified.identity.streamId : randomUUID();
  }

  override async create(file: Upload): Promise<Upload> {
    const [parameters, identified, length] = [this.#parameters, this.#identified, file.size ?? 0];
    if (!parameters || !identified) throw new Error('an upload is named before it is created');
    if (length === 0) throw badRequest('The upload is empty. Upload-Length must be at least 1.');
    if (length > this.#deps.maxBytes) throw tooLarge(this.#deps.maxBytes);
    const known = await this.#deps.resumableUploads.get(file.id);
    if (known) return this.#continue(file, known, parameters);
    const fingerprint = parameters.idempotencyKey === null ? null : fingerprintOf(parameters);
    if (identified.kind === 'done') {
      checkLength(identified.stream, length);
      await checkSpace(this.#deps, this.#request.caller.subject, length);
      const { streamId } = identified.stream.stream;
      await this.#store({ uploadId: file.id, streamId, plan: null, topic: randomUUID(), length, fingerprint });
    } else {
      const plan = await this.#plan(parameters, identified, length);
      const topic = topicId(plan.configuration.dataSource.topic);
      await this.#store({ uploadId: file.id, streamId: file.id, plan, topic, length, fingerprint });
    }
    return file;
  }

  async #plan(parameters: UploadParameters, identified: Identified & { kind: 'new' }, length: number): Promise<UploadPlan> {
    const { planner } = this.#deps;
    const { caller } = this.#request;
    const { identity } = identified;
    const prepared = await prepareUpload(this.#deps, { parameters, identity, caller, mayChange: false });
    await checkSpace(this.#deps, caller.subject, length);
    return planner.plan(prepared, withBody(identity, null), caller);
  }

  /** A repeated creation under one key continues the upload of the first. */
  async #continue(file: Upload, { owner, length, fingerprint }: ResumableUpload, parameters: UploadParameters): Promise<Upload> {
    if (owner !== this.#request.caller.subject || fingerprint === null || parameters.idempotencyKey === null) throw inUse();
    if (fingerprint !== fingerprintOf(parameters)) throw otherParameters();
    if (length !== file.size) throw otherBody();
    await this.find(file.id);
    return file;
  }

  /** The place is a document before the upload is: a restart would otherwise forget it. */
  async #store(upload: Omit<NewResumableUpload, 'owner' | 'metadata'>): Promise<void> {
    const { keptBytes, resumableUploads, runningStreams } = this.#deps;
    const { subject: owner } = this.#request.caller;
    const release = upload.plan ? await reservePlace(this.#deps, owner, upload.streamId) : async () => {};
    if (!release) throw tooManyStreams(runningStreams);
    try {
      await runningStreams.store();
      const metadata = this.#request.header('Upload-Metadata') ?? null;
      const created = await resumableUploads.create({ ...upload, owner, metadata });
      if (!created) throw inUse();
      this.standing = { streamId: upload.streamId, upload: created, offset: 0, length: upload.length };
      keptBytes.changed(owner);
    } catch (error) {
      await release();
      throw error;
    }
  }
}

const checkLength = (earlier: StreamAggregate, length: number): void => {
  if (isComparable(earlier) && earlier.upload.bytes !== length) throw otherBody();
};
