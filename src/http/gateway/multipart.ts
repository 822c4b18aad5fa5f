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

const newParser = (contentType: string): BusboyInstance => {
  try {
    // Every part is a file, whether declared as one or not: real clients omit the filename.
    return new Busboy({ headers: { 'content-type': contentType }, isPartAFile: () => true, highWaterMark: 262_144, fileHwm: 262_144 });
  } catch {
    throw malformed();
  }
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
    this.#parser.on('error', () => this.#fail(malformed()));
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
