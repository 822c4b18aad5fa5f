import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { type Frame, MAX_FRAME_BYTES, type Manifest } from '../topics.ts';

/**
 * A topic in object storage leaves a pointer in the store of the node's form: a small sealed topic of its own, with the manifest among its attributes and
 * the lengths and times of the frames as its bytes.
 */
export interface Pointer {
  readonly topic: string;
  readonly manifest: Manifest;
}

/** Topic id of a topic's pointer. */
export const pointerId = (topic: string): string => {
  const hash = createHash('sha256').update(`object of ${topic}`).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};

export const pointerAttributes = ({ topic, manifest: { frames, bytes, sha256, attributes } }: Pointer): JsonObject => ({
  object: { topic, frames, bytes, sha256, attributes },
});

/** The pointer in a sealed topic; `null` for any other topic. */
export const pointerOf = (id: string, sealed: Manifest | null): Pointer | null => {
  const object = sealed?.attributes.object;
  if (!isJsonObject(object)) return null;
  const { topic, frames, bytes, sha256, attributes } = object;
  const isPointer = typeof topic === 'string' && pointerId(topic) === id && typeof sha256 === 'string' && isJsonObject(attributes);
  return isPointer ? { topic, manifest: { frames: Number(frames), bytes: Number(bytes), sha256, attributes } } : null;
};

/** Start of the keys of topics' objects. */
export const OBJECTS = 'topics/';

/** Contains the hash, so that a late writer never replaces the bytes of another. */
export const keyOf = ({ topic, manifest: { sha256 } }: Pointer): string => `${OBJECTS}${topic}.${sha256}`;

/** The topic of an object's key; `null` for an object of somebody else. */
export const topicOfKey = (key: string): string | null => /^topics\/([0-9a-f-]{36})\.[0-9a-f]{64}$/.exec(key)?.[1] ?? null;

/** Where frames begin in their object, and when each was appended. */
export class FrameIndex {
  /** Bytes before each frame, and before the end. */
  readonly offsets: number[] = [0];
  readonly times: number[] = [];

  add({ at, data }: Pick<Frame, 'at' | 'data'>): void {
    this.offsets.push((this.offsets.at(-1) ?? 0) + data.length);
    this.times.push(at);
  }

  /** As frames of a topic. Lengths and pauses repeat, so they pack well. */
  async encode(): Promise<Uint8Array[]> {
    const steps = (values: readonly number[], before: number) => values.map((value, n) => value - (values[n - 1] ?? before));
    const text = JSON.stringify({ lengths: steps(this.offsets.slice(1), 0), pauses: steps(this.times, 0) });
    const packed = await promisify(deflateRaw)(text);
    const count = Math.ceil(packed.length / MAX_FRAME_BYTES);
    return Array.from({ length: count }, (_, n) => packed.subarray(n * MAX_FRAME_BYTES, (n + 1) * MAX_FRAME_BYTES));
  }

  static async decode(packed: Uint8Array): Promise<FrameIndex> {
    const index = new FrameIndex();
    const { lengths, pauses } = JSON.parse(String(await promisify(inflateRaw)(packed)));
    let [offset, time] = [0, 0];
    for (let n = 0; n < lengths.length; n += 1) {
      offset += lengths[n];
      time += pauses[n];
      index.offsets.push(offset);
      index.times.push(time);
    }
    return index;
  }
}
