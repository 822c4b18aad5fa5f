import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { VERSION } from '../../version.ts';
import { hasDoneNothing, isMissing, PutUnclear, reach, statusOf, unlessMissing } from './bucketErrors.ts';
import type { BucketLocation } from './location.ts';

export interface ListedObject {
  readonly key: string;
  /** Milliseconds since the epoch, by the clock of object storage. */
  readonly modified: number;
}

const MEBIBYTE = 1_048_576;
const MULTIPART_FROM_BYTES = 16 * MEBIBYTE;
const PART_BYTES = 8 * MEBIBYTE;
/** S3's limit. */
const MOST_PARTS = 10_000;
/** An object under way holds up to 16 MiB in memory. */
const PUTS_TOGETHER = 6;

const CONNECT_MILLISECONDS = 5_000;
/** Without a byte in either direction. */
const SILENT_MILLISECONDS = 15_000;
const ATTEMPTS = 2;

/**
 * The objects of a bucket below the prefix of its location. Keys are without it. Calls reject with `StoreUnavailable` while object storage is away, and
 * with `BucketRefused` if it will never accept them. The signature of each request contains the SHA-256 of its body, which the server checks.
 */
export class ObjectBucket {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #places = new Places(PUTS_TOGETHER);
  /** Errors of requests that may have done their work, at any attempt. */
  readonly #unclear = new WeakSet<object>();

  constructor({ bucket, prefix, endpoint, region, pathStyle }: BucketLocation) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#client = new S3Client({
      ...(endpoint !== undefined && { endpoint }),
      ...(region !== undefined && { region }),
      forcePathStyle: pathStyle,
      // Many servers do not know the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: ATTEMPTS,
      requestHandler: { connectionTimeout: CONNECT_MILLISECONDS, socketTimeout: SILENT_MILLISECONDS },
      customUserAgent: [['Tributary', VERSION]],
    });
    this.#client.middlewareStack.add((next) => this.#judging(next), { step: 'finalizeRequest', priority: 'low' });
  }

  /**
   * Stores an object of this many bytes; durable when it resolves. Rejects with the error of `pieces` if that fails, with `PutUnclear` if parts of the
   * object may be there, and otherwise leaves nothing. The signal ends it early.
   */
  put(key: string, bytes: number, pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    return this.#places.run(async () => {
      if (bytes >= MULTIPART_FROM_BYTES) return this.#putInParts(key, bytes, pieces, signal);
      const Body = await inOnePiece(pieces, bytes);
      await this.#stored(this.#client.send(new PutObjectCommand({ ...this.#at(key), Body }), aborting(signal)));
    });
  }

  async #putInParts(key: string, bytes: number, pieces: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
    const at = this.#at(key);
    const partBytes = Math.max(PART_BYTES, Math.ceil(bytes / MOST_PARTS / MEBIBYTE) * MEBIBYTE);
    const { UploadId } = await reach(this.#client.send(new CreateMultipartUploadCommand(at)));
    try {
      const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
      for await (const Body of inParts(pieces, partBytes)) {
        const PartNumber = Parts.length + 1;
        const part = new UploadPartCommand({ ...at, UploadId, PartNumber, Body });
        const { ETag } = await this.#stored(this.#client.send(part, aborting(signal)));
        Parts.push({ ETag, PartNumber });
      }
      const whole = new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } });
      await this.#stored(this.#client.send(whole, aborting(signal)));
    } catch (error) {
      // If this fails too, a deletion or a sweep removes the parts.
      const isAborted = await this.#client.send(new AbortMultipartUploadCommand({ ...at, UploadId })).then(
        () => true,
        () => false,
      );
      throw isAborted ? error : new PutUnclear(String(error), { cause: error });
    }
  }

  /** Bytes from `first` to `last`, both inclusive; `null` if the object does not exist. */
  async get(key: string, first: number, last: number): Promise<Buffer | null> {
    return this.#read(key, `bytes=${first}-${last}`);
  }

  async text(key: string): Promise<string | null> {
    return (await this.#read(key))?.toString() ?? null;
  }

  async putText(key: string, text: string): Promise<void> {
    await reach(this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: text, ContentType: 'application/json' })));
  }

  /** Idempotent. */
  async remove(key: string): Promise<void> {
    await reach(this.#client.send(new DeleteObjectCommand(this.#at(key)))).catch(unlessMissing);
  }

  /** Objects whose keys begin with `start`. */
  async *list(start: string): AsyncGenerator<ListedObject, void, undefined> {
    let ContinuationToken: string | undefined;
    do {
      const page = await reach(
        this.#client.send(new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix + start, ContinuationToken })),
      );
      for (const { Key = '', LastModified } of page.Contents ?? [])
        yield { key: Key.slice(this.#prefix.length), modified: LastModified?.getTime() ?? Number.POSITIVE_INFINITY };
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
  }

  /** Removes the parts of objects that were begun before a time and never completed. Resolves with the number of such objects. */
  async removeUnfinished(start: string, before: number): Promise<number> {
    const { Uploads = [] } = await reach(
      this.#client.send(new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: this.#prefix + start })),
    );
    const old = Uploads.filter(({ Initiated }) => Initiated !== undefined && Initiated.getTime() < before);
    for (const { Key, UploadId } of old)
      await reach(this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId }))).catch(unlessMissing);
    return old.length;
  }

  /** Whether the bucket keeps the bytes of deleted objects. */
  async keepsVersions(): Promise<boolean> {
    try {
      const { Status } = await reach(this.#client.send(new GetBucketVersioningCommand({ Bucket: this.#bucket })));
      return Status === 'Enabled';
    } catch (error) {
      if (statusOf(error) === 501) return false;
      throw error;
    }
  }

  close(): void {
    this.#client.destroy();
  }

  /** Remembers an error if this attempt or an earlier one may have reached object storage. */
  #judging<Args, Result>(next: (args: Args) => Promise<Result>): (args: Args) => Promise<Result> {
    let isUnclear = false;
    return async (args) => {
      try {
        return await next(args);
      } catch (error) {
        isUnclear ||= !hasDoneNothing(error);
        if (isUnclear && error instanceof Error) this.#unclear.add(error);
        throw error;
      }
    };
  }

  /** The outcome of a request that stores bytes. */
  async #stored<T>(operation: Promise<T>): Promise<T> {
    return reach(operation).catch((error: unknown) => {
      const cause = error instanceof Error ? error.cause : undefined;
      const isUnclear = cause instanceof Error && (this.#unclear.has(cause) || cause.name === 'AbortError');
      throw isUnclear ? new PutUnclear(String(error), { cause: error }) : error;
    });
  }

  async #read(key: string, Range?: string): Promise<Buffer | null> {
    try {
      const { Body } = await reach(this.#client.send(new GetObjectCommand({ ...this.#at(key), Range })));
      if (!Body) return Buffer.alloc(0);
      const { buffer, byteOffset, byteLength } = await reach(Body.transformToByteArray());
      return Buffer.from(buffer, byteOffset, byteLength);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + key };
  }
}

/** At most this many at once; the others wait in order. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

const aborting = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

const inOnePiece = async (pieces: AsyncIterable<Uint8Array>, bytes: number): Promise<Buffer> => {
  const whole = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for await (const piece of pieces) {
    whole.set(piece, filled);
    filled += piece.length;
  }
  return whole.subarray(0, filled);
};

/** All parts but the last have the same size, as some servers demand. */
async function* inParts(pieces: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    while (bytes >= partBytes) {
      const all = Buffer.concat(held);
      yield all.subarray(0, partBytes);
      held = [all.subarray(partBytes)];
      bytes -= partBytes;
    }
  }
  if (bytes > 0) yield Buffer.concat(held);
}
