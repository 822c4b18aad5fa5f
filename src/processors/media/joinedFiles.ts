import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes of a file that are a recording of their own. `end` is exclusive. */
export interface FilePart {
  readonly start: number;
  readonly end: number;
}

export interface JoinedFiles {
  /** At least one. */
  readonly parts: readonly FilePart[];
  /** Bytes after the last part that belong to nothing; negative if bytes of it are missing. */
  readonly rest: number;
}

/** A named piece of a container: a RIFF chunk, or a box of an MP4. */
interface Chunk {
  readonly name: string;
  /** With its head and padding. `null`: to the end of the file. */
  readonly bytes: number | null;
}

interface Container {
  /** Bytes of the head of a file, before its first chunk. */
  readonly head: number;
  begins(head: Buffer): boolean;
  chunk(head: Buffer): Chunk;
  /** Chunks without which a file is not complete. Another beginning counts only after one of them. */
  readonly content: readonly string[];
}

const HEAD_BYTES = 16;
/** Each is decoded by a process of its own. */
const MOST_PARTS = 5_000;
/** A fragmented MP4 of some hours has this many boxes. */
const MOST_CHUNKS = 100_000;
/** Recorders that do not know the length write one that no file reaches, or none. */
const UNKNOWN_LENGTH = 0x7fff_0000;

const text = (head: Buffer, at: number) => head.toString('latin1', at, at + 4);

const padded = (length: number) => 8 + length + (length % 2);

const WAV: Container = {
  head: 12,
  content: ['data'],
  begins: (head) => text(head, 0) === 'RIFF' && text(head, 8) === 'WAVE',
  chunk(head) {
    const [name, length] = [text(head, 0), head.readUInt32LE(4)];
    const endless = name === 'data' && (length === 0 || length >= UNKNOWN_LENGTH);
    return { name, bytes: endless ? null : padded(length) };
  },
};

const AIFF: Container = {
  head: 12,
  content: ['SSND'],
  begins: (head) => text(head, 0) === 'FORM' && text(head, 8).startsWith('AIF'),
  chunk: (head) => ({ name: text(head, 0), bytes: padded(head.readUInt32BE(4)) }),
};

const MP4: Container = {
  head: 0,
  content: ['moov', 'mdat'],
  begins: (head) => text(head, 4) === 'ftyp',
  chunk(head) {
    const length = head.readUInt32BE(0);
    const bytes = length === 1 ? Number(head.readBigUInt64BE(8)) : length;
    return { name: text(head, 4), bytes: bytes < 8 ? null : bytes };
  },
};

/** Beginnings of Matroska (WebM), W64, CAF, TTA, WMA, VOC, RF64 and FLV files. Another one is found by its beginning, not by the structure. */
const NAMED_ONCE = ['\u001aE\u00df\u00a3', 'riff.', 'caff', 'TTA1', '0&\xb2u', 'Creative Voice', 'RF64', 'BW64', 'FLV'];

/** Bytes of a beginning that occur by chance nowhere else. */
const BEGINNING_BYTES = 12;

/**
 * Finds recordings that were joined byte by byte, as a recorder does that returns a whole file for each slice of time. Decoders stop at the end
 * of the first file of some formats; they read through the joined files of others, such as MP3 and Ogg.
 */
export const joinedFiles = async (path: string): Promise<JoinedFiles> => {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const head = await read(file, 0);
    const container = [WAV, AIFF, MP4].find(({ begins }) => begins(head));
    if (container) return await partsOf(file, size, container);
    const starts = NAMED_ONCE.some((name) => head.toString('latin1').startsWith(name)) ? await repeats(path, head) : [0];
    return { parts: between(starts, size), rest: 0 };
  } finally {
    await file.close();
  }
};

const partsOf = async (file: FileHandle, size: number, { head, begins, chunk, content }: Container): Promise<JoinedFiles> => {
  const starts = [0];
  let complete = false;
  let at = head;
  for (let n = 0; n < MOST_CHUNKS && starts.length <= MOST_PARTS && at + 8 <= size; n++) {
    const bytes = await read(file, at);
    if (complete && begins(bytes)) {
      starts.push(at);
      complete = false;
      at += head;
      if (head > 0) continue;
    }
    const next = chunk(bytes);
    if (!/^[\x20-\x7e\xa9]{4}$/.test(next.name)) break;
    complete ||= content.includes(next.name);
    at = next.bytes === null ? size : at + next.bytes;
  }
  const end = Math.min(at, size);
  return { parts: between(starts, end), rest: size - at };
};

const between = (starts: readonly number[], end: number): FilePart[] => starts.map((start, n) => ({ start, end: starts[n + 1] ?? end }));

/** Where the file has its own beginning again. */
const repeats = async (path: string, head: Buffer): Promise<number[]> => {
  const beginning = head.subarray(0, BEGINNING_BYTES);
  const starts: number[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let passed = 0;
  for await (const chunk of createReadStream(path)) {
    const bytes = Buffer.concat([rest, chunk]);
    for (let at = bytes.indexOf(beginning); at >= 0; at = bytes.indexOf(beginning, at + 1)) starts.push(passed + at);
    if (starts.length > MOST_PARTS) break;
    rest = bytes.subarray(Math.max(0, bytes.byteLength - BEGINNING_BYTES + 1));
    passed += bytes.byteLength - rest.byteLength;
  }
  return starts;
};

const read = async (file: FileHandle, at: number): Promise<Buffer> => {
  const head = Buffer.alloc(HEAD_BYTES);
  await file.read(head, 0, HEAD_BYTES, at);
  return head;
};
