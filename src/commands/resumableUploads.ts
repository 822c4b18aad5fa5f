import { type Clock, isoTime } from '../clock.ts';
import { topicId } from '../domain/stream/streamConfiguration.ts';
import type { Documents, StoredDocument } from '../stores/documents.ts';
import type { Topics } from '../stores/topics.ts';
import type { PersonalPlace } from './eraseSubject.ts';
import { loadStream } from './loadStream.ts';
import type { PlaceDeps } from './openStreams/places.ts';
import type { UploadPlan } from './upload.ts';

/** An upload that may be continued until all of its bytes are here. */
export interface ResumableUpload {
  /** The id of the stream that it will become; one of its own if that stream exists. */
  readonly uploadId: string;
  readonly streamId: string;
  readonly owner: string;
  /** Topic id. */
  readonly topic: string;
  /** Announced, in bytes. */
  readonly length: number;
  /** `Upload-Metadata` as it was sent. */
  readonly metadata: string | null;
  /** Of its parameters, if it has an `Idempotency-Key`. */
  readonly fingerprint: string | null;
  /** `null`: its stream exists, and its bytes are only compared with those of that stream. */
  readonly plan: UploadPlan | null;
  /** ISO 8601. */
  readonly expires: string;
}

export type NewResumableUpload = Omit<ResumableUpload, 'expires'>;

export interface ResumableUploadsDeps extends PlaceDeps {
  readonly documents: Documents;
  readonly topics: Topics;
  readonly clock: Pick<Clock, 'now'>;
  readonly expireMilliseconds: number;
}

const COLLECTION = 'resumableUploads';
const PAGE = 100;

/** Opens the unfinished resumable uploads of a store. Rejects with `StoreUnavailable`. */
export const openResumableUploads = async (deps: ResumableUploadsDeps): Promise<ResumableUploads> => {
  await deps.documents.ensureCollection({ name: COLLECTION, indexes: [['owner', 'length'], ['topic'], ['expires']] });
  return new ResumableUploads(deps);
};

/**
 * The unfinished resumable uploads, a document each, with their bytes in unsealed topics, so that any node can continue one. Each holds a place among the
 * running streams of its owner. All methods may reject with `StoreUnavailable`.
 */
export class ResumableUploads {
  readonly #deps: ResumableUploadsDeps;
  readonly expireMilliseconds: number;

  constructor(deps: ResumableUploadsDeps) {
    this.#deps = deps;
    this.expireMilliseconds = deps.expireMilliseconds;
  }

  async get(uploadId: string): Promise<ResumableUpload | null> {
    const found = await this.#deps.documents.get(COLLECTION, uploadId);
    return found && uploadIn(found);
  }

  /** Creates its empty topic too. `null` if there is an upload with this id. */
  async create(upload: NewResumableUpload): Promise<ResumableUpload | null> {
    const { documents, topics } = this.#deps;
    const created = { ...upload, expires: this.#expiry() };
    // An upload without a topic would be taken for lost.
    await topics.create(upload.topic);
    if (await documents.create(COLLECTION, upload.uploadId, bodyOf(created))) return created;
    await topics.delete(upload.topic);
    return null;
  }

  /** Its time counts from now. `null` if it has ended meanwhile. */
  async touch(upload: ResumableUpload): Promise<ResumableUpload | null> {
    const touched = { ...upload, expires: this.#expiry() };
    return (await this.#deps.documents.replace(COLLECTION, upload.uploadId, bodyOf(touched))) ? touched : null;
  }

  /** For an upload that has become its stream. */
  async forget({ uploadId }: ResumableUpload): Promise<void> {
    await this.#deps.documents.remove(COLLECTION, uploadId);
  }

  /** Deletes it with its bytes and frees its place. The document goes last, so that an interrupted deletion can be repeated. */
  async discard(upload: ResumableUpload): Promise<void> {
    await this.#deleteBytes(upload);
    await this.forget(upload);
  }

  /** Discards those whose time is over. Resolves with their number. */
  async expire(): Promise<number> {
    const due = await this.#deps.documents.find(COLLECTION, {
      where: { expires: { from: '', to: isoTime(this.#deps.clock.now()) } },
      orderBy: [{ member: 'expires', direction: 'asc' }],
      limit: PAGE,
    });
    let expired = 0;
    for (const upload of due.map(uploadIn)) if (await this.#expireOne(upload)) expired += 1;
    return due.length === PAGE ? expired + (await this.expire()) : expired;
  }

  /** Announced bytes of a user's uploads. */
  bytesOf(owner: string): Promise<number> {
    return this.#deps.documents.sum(COLLECTION, 'length', { owner });
  }

  /** Whether a topic contains the bytes of one. */
  async hasTopic(topic: string): Promise<boolean> {
    return (await this.#deps.documents.count(COLLECTION, { topic })) > 0;
  }

  /** A person's unfinished uploads: erasure counts and discards them. */
  readonly personal: PersonalPlace = {
    count: (subject) => this.#deps.documents.count(COLLECTION, { owner: subject }),
    erased: async (subject) => {
      const found = await this.#deps.documents.find(COLLECTION, { where: { owner: subject }, limit: Number.MAX_SAFE_INTEGER });
      for (const upload of found.map(uploadIn)) await this.discard(upload);
    },
  };

  /** `false` if bytes have arrived meanwhile. */
  async #expireOne(upload: ResumableUpload): Promise<boolean> {
    await this.#deps.documents.remove(COLLECTION, upload.uploadId, { expires: upload.expires });
    if (await this.get(upload.uploadId)) return false;
    await this.#deleteBytes(upload);
    return true;
  }

  async #deleteBytes({ owner, streamId, topic, plan }: ResumableUpload): Promise<void> {
    const { log, runningStreams, topics } = this.#deps;
    const stream = (await loadStream(log, streamId))?.stream;
    // A crash may have come between the creation of its stream, which has the bytes now, and the removal of the document.
    if (stream === undefined || topicId(stream.configuration.dataSource.topic) !== topic) await topics.delete(topic);
    if (plan && !stream) await runningStreams.release(owner, streamId);
  }

  #expiry(): string {
    return isoTime(this.#deps.clock.now() + this.expireMilliseconds);
  }
}

const bodyOf = ({ uploadId: _, plan, ...members }: ResumableUpload) => ({ ...members, plan: JSON.stringify(plan) });

// The documents of this collection are written by `bodyOf` only.
const uploadIn = ({ id, body: { plan, ...members } }: StoredDocument): ResumableUpload =>
  ({ ...members, uploadId: id, plan: JSON.parse(String(plan)) }) as unknown as ResumableUpload;
