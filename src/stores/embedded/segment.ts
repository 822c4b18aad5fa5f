import { crc32 } from 'node:zlib';
import type { JsonObject } from '../../json.ts';
import { pooledRandomBytes } from '../../randomPool.ts';
import { type FrameBytes, lengthOf, MAX_FRAME_BYTES, type Manifest, piecesOf, TopicDamaged } from '../topics.ts';
import { close, openExisting, read, sizeOf } from './files.ts';

/**
 * The file of a topic: a head, then records, the last of which is the manifest if the topic is sealed, then a trailer.
 *
 *     head     "TRIBTOP1", 16 random bytes
 *     record   length u32, crc32 u32 (of the rest of the header and the data), time f64 (ms), kind u8, three zeroes, data
 *     trailer  "TRIBEND1", the head's 16 bytes, length u32 of the manifest record's data, crc32 u32 of all before
 *
 * Numbers are little-endian. A record that a crash tore off or left out fails its checksum, and all data after it are ignored. The random bytes
 * prevent uploaded data from imitating the end of a sealed topic.
 */

const HEAD = Buffer.from('TRIBTOP1', 'latin1');
const TAIL = Buffer.from('TRIBEND1', 'latin1');
const NONCE_BYTES = 16;
const HEAD_BYTES = HEAD.length + NONCE_BYTES;
const TRAILER_BYTES = TAIL.length + NONCE_BYTES + 8;
const HEADER_BYTES = 20;
/** Reads a file with one 64 KiB frame at once. */
const FIRST_BLOCK = 72 * 1024;
const BLOCK = 256 * 1024;

const KIND = { frame: 1, manifest: 2 } as const;
type Kind = keyof typeof KIND;

export interface SegmentRecord {
  readonly kind: Kind;
  readonly at: number;
  readonly data: Buffer;
  /** Offset of the next record. */
  readonly end: number;
}

export const newHead = (): Buffer => Buffer.concat([HEAD, pooledRandomBytes(NONCE_BYTES)]);

const checksum = (header: Buffer, data: FrameBytes): number =>
  piecesOf(data).reduce((sum, piece) => crc32(piece, sum), crc32(header.subarray(8, HEADER_BYTES)));

/** Header and data of each record, in turn, ready to be written. */
export const encodeRecords = (kind: Kind, records: readonly FrameBytes[], at: number): Uint8Array[] => {
  const headers = Buffer.alloc(HEADER_BYTES * records.length);
  return records.flatMap((data, index) => {
    const pieces = piecesOf(data).filter((piece) => piece.length > 0);
    const header = headers.subarray(index * HEADER_BYTES, (index + 1) * HEADER_BYTES);
    header.writeUInt32LE(lengthOf(data), 0);
    header.writeDoubleLE(at, 8);
    header.writeUInt8(KIND[kind], 16);
    header.writeUInt32LE(checksum(header, pieces), 4);
    return [header, ...pieces];
  });
};

/** The manifest's record and the trailer. */
export const encodeEnd = (head: Buffer, manifest: Manifest, at: number): Uint8Array[] => {
  const data = Buffer.from(JSON.stringify(manifest));
  if (data.length > MAX_FRAME_BYTES) throw new RangeError(`the attributes of a topic take ${data.length} bytes`);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  TAIL.copy(trailer);
  head.copy(trailer, TAIL.length, HEAD.length);
  trailer.writeUInt32LE(data.length, TRAILER_BYTES - 8);
  trailer.writeUInt32LE(crc32(trailer.subarray(0, TRAILER_BYTES - 4)), TRAILER_BYTES - 4);
  return [...encodeRecords('manifest', [data], at), trailer];
};

/** All of a sealed topic, in the form of its file. */
export const encodeWhole = (frames: readonly FrameBytes[], manifest: Manifest, at: number): Buffer => {
  const head = newHead();
  return Buffer.concat([head, ...encodeRecords('frame', frames, at), ...encodeEnd(head, manifest, at)]);
};

/** The data of frames, as parts of their segment. */
export const dataWithin = (segment: Buffer, frames: readonly FrameBytes[]): Buffer[] => {
  let end = HEAD_BYTES;
  return frames.map((frame) => {
    const start = end + HEADER_BYTES;
    end = start + lengthOf(frame);
    return segment.subarray(start, end);
  });
};

/** The manifest and the frames of a topic's whole segment, which one commit stored. Throws `TopicDamaged` on anything else. */
export const parseWhole = (topic: string, segment: Buffer): { manifest: Manifest; records: SegmentRecord[] } => {
  const records: SegmentRecord[] = [];
  for (let at = HEAD_BYTES; ; ) {
    const record = parseRecord(segment, at, 0);
    if (record === null || typeof record === 'number') throw new TopicDamaged(topic, records.length - 1);
    if (record.kind === 'manifest') return { manifest: parseManifest(record.data), records };
    records.push(record);
    at = record.end;
  }
};

/** `null` for an empty file. */
export const readHead = async (fd: number): Promise<Buffer | null> => {
  const head = await read(fd, 0, HEAD_BYTES);
  return head.length === HEAD_BYTES && head.subarray(0, HEAD.length).equals(HEAD) ? head : null;
};

/** `null` for a file that is not sealed. */
export const readEnd = async (fd: number): Promise<Manifest | null> => {
  const size = await sizeOf(fd);
  if (size < HEAD_BYTES + HEADER_BYTES + TRAILER_BYTES) return null;
  const [head, trailer] = await Promise.all([readHead(fd), read(fd, size - TRAILER_BYTES, TRAILER_BYTES)]);
  if (!head) return null;
  const expected = Buffer.concat([TAIL, head.subarray(HEAD.length)]);
  if (!trailer.subarray(0, expected.length).equals(expected)) return null;
  if (trailer.readUInt32LE(TRAILER_BYTES - 4) !== crc32(trailer.subarray(0, TRAILER_BYTES - 4))) return null;
  const length = trailer.readUInt32LE(TRAILER_BYTES - 8);
  const start = size - TRAILER_BYTES - length - HEADER_BYTES;
  const record = start >= HEAD_BYTES ? parseRecord(await read(fd, start, HEADER_BYTES + length), 0, start) : null;
  return typeof record === 'object' && record?.kind === 'manifest' ? parseManifest(record.data) : null;
};

/** `null` if the file does not exist or is not sealed. */
export const readManifest = async (path: string): Promise<Manifest | null> => {
  const fd = await openExisting(path, 'r');
  if (fd === null) return null;
  try {
    return await readEnd(fd);
  } finally {
    await close(fd);
  }
};

/** We wrote the file, and its checksum matches. */
const parseManifest = (data: Buffer): Manifest => {
  const { frames, bytes, sha256, attributes }: JsonObject = JSON.parse(data.toString());
  return { frames: Number(frames), bytes: Number(bytes), sha256: String(sha256), attributes: attributes as JsonObject };
};

/** The record at `from` in a block read at `offset`; the number of bytes it needs if the block ends before it; `null` if it is not a record. */
const parseRecord = (block: Buffer, from: number, offset: number): SegmentRecord | number | null => {
  const header = block.subarray(from, from + HEADER_BYTES);
  if (header.length < HEADER_BYTES) return HEADER_BYTES;
  const length = header.readUInt32LE(0);
  const code = header.readUInt8(16);
  if (length > MAX_FRAME_BYTES || (code !== KIND.frame && code !== KIND.manifest)) return null;
  const end = from + HEADER_BYTES + length;
  if (end > block.length) return HEADER_BYTES + length;
  const data = block.subarray(from + HEADER_BYTES, end);
  if (header.readUInt32LE(4) !== checksum(header, data)) return null;
  return { kind: code === KIND.frame ? 'frame' : 'manifest', at: header.readDoubleLE(8), data, end: offset + end };
};

/** Reads a segment in blocks, from the first record on. Memory: one block, or one record when that is larger. */
export class SegmentReader {
  /** Offset of the next record. */
  offset = 0;
  /** `sealed`: the manifest has been read. `torn`: the bytes at `offset` are not a record, after a crash or through damage. */
  state: 'open' | 'sealed' | 'torn' = 'open';
  readonly #fd: number;
  #block = FIRST_BLOCK;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** The next whole records before `end`; empty if there are no more yet. */
  async next(end = Number.POSITIVE_INFINITY): Promise<SegmentRecord[]> {
    for (let tried = 0; this.state === 'open'; ) {
      const wanted = Math.min(this.#block, end - this.offset);
      // A record larger than the block is read with a larger one.
      if (wanted <= tried) break;
      tried = wanted;
      const block = await read(this.#fd, this.offset, wanted);
      const records = this.#parse(block);
      if (records.length > 0) return records;
      if (block.length < wanted) break;
    }
    return [];
  }

  /** The frames up to the end or to the first record that is not whole. */
  async *frames(): AsyncIterable<SegmentRecord> {
    for (let records = await this.next(); records.length > 0; records = await this.next())
      yield* records.filter(({ kind }) => kind === 'frame');
  }

  #parse(block: Buffer): SegmentRecord[] {
    const records: SegmentRecord[] = [];
    let at = 0;
    if (this.offset === 0) {
      if (block.length < HEAD_BYTES) return records;
      if (!block.subarray(0, HEAD.length).equals(HEAD)) this.state = 'torn';
      at = HEAD_BYTES;
    }
    this.#block = BLOCK;
    while (this.state === 'open' && at < block.length) {
      const record = parseRecord(block, at, this.offset);
      if (record === null) this.state = 'torn';
      else if (typeof record === 'number') {
        // Includes the next header, so that the next record is read once.
        this.#block = Math.max(BLOCK, record + HEADER_BYTES);
        break;
      } else {
        if (record.kind === 'manifest') this.state = 'sealed';
        records.push(record);
        at = record.end - this.offset;
      }
    }
    this.offset += at;
    return records;
  }
}
