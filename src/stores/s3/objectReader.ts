import { createHash } from 'node:crypto';
import { type Frame, TopicDamaged, TopicMissing, type Topics } from '../topics.ts';
import type { ObjectBucket } from './bucket.ts';
import type { Deployment } from './deployment.ts';
import { FrameIndex, keyOf, type Pointer, pointerId, pointerOf } from './pointer.ts';

export interface ObjectReaderDeps {
  /** Topics of the node's form, with the pointers. */
  readonly local: Pick<Topics, 'manifest' | 'read'>;
  readonly bucket: Pick<ObjectBucket, 'get'>;
  readonly deployment: Pick<Deployment, 'check'>;
}

/** About as many bytes come with one request: a slow reader holds them in memory. */
const REQUEST_BYTES = 524_288;

/** Reads topics that lie in the bucket. */
export class ObjectReader {
  readonly #local: ObjectReaderDeps['local'];
  readonly #bucket: ObjectReaderDeps['bucket'];
  readonly #deployment: ObjectReaderDeps['deployment'];

  constructor({ local, bucket, deployment }: ObjectReaderDeps) {
    this.#local = local;
    this.#bucket = bucket;
    this.#deployment = deployment;
  }

  /** The index of the frames of a pointed topic. */
  async index(topic: string): Promise<FrameIndex> {
    const packed: Uint8Array[] = [];
    for await (const { data } of this.#local.read(pointerId(topic))) packed.push(data);
    return FrameIndex.decode(Buffer.concat(packed));
  }

  /**
   * The frames behind the one with the sequence `after`. Throws `TopicDamaged` before the last frame if the whole topic was read and is not what was
   * sealed, `TopicMissing` if it was deleted meanwhile, and `StoreUnavailable`.
   */
  async *read(pointer: Pointer, after: number, signal: AbortSignal | undefined): AsyncGenerator<Frame, void, undefined> {
    const { topic, manifest } = pointer;
    await this.#deployment.check();
    const index = await this.index(topic);
    const hash = after < 0 ? createHash('sha256') : null;
    for (let next = after + 1; next < manifest.frames; ) {
      signal?.throwIfAborted();
      for await (const frame of this.#fetch(pointer, index, next)) {
        signal?.throwIfAborted();
        hash?.update(frame.data);
        next = frame.sequence + 1;
        const isWrong = hash && next === manifest.frames && hash.copy().digest('hex') !== manifest.sha256;
        if (isWrong) throw new TopicDamaged(topic, -1);
        yield frame;
      }
    }
  }

  /** The frame `first` and some after it, by one request. */
  async *#fetch(pointer: Pointer, { offsets, times }: FrameIndex, first: number): AsyncGenerator<Frame, void, undefined> {
    const { topic, manifest } = pointer;
    const offset = (frame: number) => offsets[frame] ?? 0;
    let end = first + 1;
    while (end < manifest.frames && offset(end + 1) - offset(first) <= REQUEST_BYTES) end += 1;
    const length = offset(end) - offset(first);
    const data = length === 0 ? Buffer.alloc(0) : await this.#bucket.get(keyOf(pointer), offset(first), offset(end) - 1);
    if (data?.length !== length) {
      // Deleted meanwhile.
      const id = pointerId(topic);
      if (!pointerOf(id, await this.#local.manifest(id))) throw new TopicMissing(topic);
      throw new TopicDamaged(topic, first - 1);
    }
    for (let sequence = first; sequence < end; sequence += 1)
      yield {
        sequence,
        at: times[sequence] ?? 0,
        data: data.subarray(offset(sequence) - offset(first), offset(sequence + 1) - offset(first)),
      };
  }
}
