import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Problem } from '../../domain/problem.ts';
import { brokenOffBy } from '../../stores/pump.ts';
import { badRequest } from '../server/errors.ts';
import { badConfiguration, MAX_CONFIGURATION_PART_BYTES } from './configurationPart.ts';

export interface Part {
  readonly name: string;
  readonly stream: Readable;
  readonly contentType: string;
  readonly filename: string | undefined;
}

const malformed = (): Error => badRequest('The body is not well-formed multipart/form-data.');

/** More than any form has that the platform takes. */
const MAX_PARTS = 128;

const tooManyParts = (): Problem =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', `The body has more than ${MAX_PARTS} parts.`, { statusCode: 413, title: 'Too large' });

/** `null` for a content type without a valid boundary (RFC 2046, 5.1.1, but of any length). */
const boundaryOf = (contentType: string): string | null => {
  const found = /;\s*boundary=(?:"([\w'()+,./:=? -]+)"|([\w'()+,./:=?-]+))/i.exec(contentType);
  return found?.[1] ?? found?.[2] ?? null;
};

const newParser = (contentType: string): BusboyInstance => {
  const boundary = boundaryOf(contentType);
  if (boundary === null) throw malformed();
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  try {
    // Every part is a file, whether declared as one or not: real clients omit the filename.
    const parser = new Busboy({ headers, isPartAFile: () => true, highWaterMark: 262_144, fileHwm: 262_144 });
    return withFewParts(parser, boundary);
  } catch {
    throw malformed();
  }
};

/**
 * A read may hold 8,000 empty parts, which a parser begins and ends in one turn of the event loop. So delimiters are counted before they are
 * parsed. One that is divided between two reads does not count.
 */
const withFewParts = (parser: BusboyInstance, boundary: string): BusboyInstance => {
  const delimiter = `\r\n--${boundary}`;
  const parse = parser._write.bind(parser);
  let parts = 0;
  parser._write = (chunk: Buffer, encoding, done) => {
    for (let at = chunk.indexOf(delimiter); at >= 0 && parts <= MAX_PARTS; at = chunk.indexOf(delimiter, at + delimiter.length)) parts += 1;
    if (parts > MAX_PARTS) done(tooManyParts());
    else parse(chunk, encoding, done);
  };
  return parser;
};

/** The parts of a multipart/form-data body, in order; each must be read completely before the next one. */
export class MultipartParts {
  readonly #incoming: IncomingMessage;
  readonly #parser: BusboyInstance;
  readonly #waiting: Part[] = [];
  #current: Readable | null = null;
  #wake: (() => void) | null = null;
  #state: 'reading' | 'ended' | { failure: Error } = 'reading';

  /** Throws 400 for a content type without a boundary. */
  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.#parser = newParser(incoming.headers['content-type'] ?? '');
    this.#parser.on('file', (name: string | undefined, stream, filename: string | undefined, _encoding, contentType) => {
      // A broken part reports its error to its reader; without a reader the error is ignored.
      stream.on('error', () => this.#fail(malformed()));
      this.#current = stream;
      this.#waiting.push({ name: name ?? '', stream, contentType, filename });
      this.#wake?.();
    });
    this.#parser.on('finish', () => this.#end('ended'));
    this.#parser.on('error', (error) => this.#fail(error instanceof Problem ? error : malformed()));
    incoming.on('error', this.#onBroken).on('close', this.#onBroken).pipe(this.#parser);
    // The client may have left while the upload was prepared; a closed body emits nothing more.
    if (incoming.destroyed) this.#onBroken();
  }

  /** `null` after the last part. Rejects with 400 for a malformed body, `BrokenOff` if the client has left. */
  async next(): Promise<Part | null> {
    while (this.#waiting.length === 0 && this.#state === 'reading') {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (typeof this.#state === 'object') throw this.#state.failure;
    return this.#waiting.shift() ?? null;
  }

  /** Why reading a part failed, in words for the caller; `null` if it has not failed. */
  get failure(): Error | null {
    return typeof this.#state === 'object' ? this.#state.failure : null;
  }

  /** Leaves the rest of the body unread. */
  release(): void {
    this.#incoming.off('error', this.#onBroken).off('close', this.#onBroken).unpipe(this.#parser);
  }

  readonly #onBroken = (): void => {
    if (!this.#incoming.readableEnded) this.#fail(brokenOffBy(this.#incoming.errored));
  };

  #fail(failure: Error): void {
    if (this.#state !== 'reading') return;
    this.#end({ failure });
    this.release();
    this.#current?.destroy(failure);
  }

  #end(state: 'ended' | { failure: Error }): void {
    if (this.#state === 'reading') this.#state = state;
    this.#wake?.();
  }
}

/** A multipart upload after its configuration part: the bytes are `head` and the rest of `stream`. */
export interface MultipartUpload {
  readonly configuration: Uint8Array | null;
  readonly head: Uint8Array;
  readonly stream: Readable;
  /** The error for a part after the data. */
  readonly surplus: () => Problem;
}

/** Reads a part until it has more than `limit` bytes or ends, which `ended` reports. */
export const readHead = (stream: Readable, limit: number): Promise<{ head: Buffer; ended: boolean }> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (ended: boolean): void => {
      stream.off('data', onData).off('end', onEnd).off('error', reject);
      resolve({ head: Buffer.concat(chunks), ended });
    };
    const onEnd = (): void => settle(true);
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= limit) return;
      stream.pause();
      settle(false);
    };
    stream.on('data', onData).on('end', onEnd).on('error', reject);
  });

const configurationTooLarge = (): Problem =>
  new Problem(
    'GENERAL_BAD_REQUEST_ERROR',
    `The configuration part exceeds ${MAX_CONFIGURATION_PART_BYTES} bytes. If the part is the file itself, give it a filename.`,
    { statusCode: 413, title: 'Too large' },
  );

const thirdPart = (): Problem => badConfiguration('A multipart upload must have two parts: the configuration, then the file.');

/** `FormData` gives every unnamed `Blob` this name, so it means nothing. */
const NO_NAME = 'blob';
/** The type of a part that names none, such as a text field of a form. */
const DEFAULT_TYPE = 'text/plain';

/** Whether the beginning of a part looks like JSON. */
const looksLikeJson = ({ contentType }: Part, head: Buffer): boolean =>
  contentType === 'application/json' ||
  (contentType === DEFAULT_TYPE && head.subarray(0, 64).toString('latin1').trimStart().startsWith('{'));

const isNamed = ({ filename = '' }: Part): boolean => filename !== '' && filename !== NO_NAME;

/**
 * Reads up to the first byte of the data. A single part is the file; of two parts the first is the configuration (at most 1 MiB, otherwise 413).
 * Only the end of the first part shows whether a second one follows, so it is held until then. If it is too large for a configuration before that,
 * it is the file if it has a filename or does not look like JSON.
 */
export const openMultipart = async (parts: MultipartParts): Promise<MultipartUpload> => {
  const first = await parts.next();
  if (!first) throw badConfiguration('The multipart body has no parts.');
  const { head, ended } = await readHead(first.stream, MAX_CONFIGURATION_PART_BYTES).catch((error: unknown) => {
    throw parts.failure ?? error;
  });
  if (!ended) {
    const json = looksLikeJson(first, head);
    if (json && !isNamed(first)) throw configurationTooLarge();
    // If another part follows, it was a configuration after all: too large.
    return { configuration: null, head, stream: first.stream, surplus: json ? configurationTooLarge : thirdPart };
  }
  const second = await parts.next();
  return second
    ? { configuration: head, head: Buffer.alloc(0), stream: second.stream, surplus: thirdPart }
    : { configuration: null, head, stream: first.stream, surplus: thirdPart };
};

/** Throws the result of `surplus` if a part follows the data. */
export const expectNoMoreParts = async (parts: MultipartParts, surplus: MultipartUpload['surplus']): Promise<void> => {
  if (await parts.next()) throw surplus();
};
