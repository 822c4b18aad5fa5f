import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { Problem } from '../../domain/problem.ts';
import type { Limits } from '../../limits.ts';
import { brokenOffBy } from '../../stores/pump.ts';
import { badRequest } from '../errors/errors.ts';
import { JoinedPieces } from '../input/joinedPieces.ts';

export interface Part {
  readonly name: string;
  readonly stream: Readable;
  readonly contentType: string;
  readonly filename: string | undefined;
}

/** `FormData` gives every unnamed `Blob` this name, so it means nothing. */
const NO_NAME = 'blob';
const LONGEST_NAME = 255;

/** Browsers and curl write the quotes and line breaks of a name as the form standard says. */
const unescaped = (filename: string): string => filename.replaceAll('%22', '"').replaceAll(/%0[AD]/gi, ' ');

/** The name of a part's file; `null` without one. Browsers may send a whole path. */
export const fileNameOf = ({ filename = '' }: Pick<Part, 'filename'>): string | null => {
  const name = unescaped(filename).split(/[\\/]/).at(-1)?.slice(0, LONGEST_NAME) ?? '';
  return name === '' || name === NO_NAME ? null : name;
};

const malformed = (): Error => badRequest('The body is not well-formed multipart/form-data.');

const tooManyParts = (mostFields: number): Error =>
  new Problem('GENERAL_BAD_REQUEST_ERROR', `The form may have ${mostFields} fields beside the file. Send fewer.`, {
    statusCode: 413,
    title: 'Too large',
  });

/** Boundaries, headers of parts, and bytes before the first part, which no limit of a part counts. */
const MOST_OUTSIDE_PARTS = 1_048_576;

const tooMuchOutside = (): Error => badRequest(`The body has more than ${MOST_OUTSIDE_PARTS} bytes outside its parts.`);

const newParser = (contentType: string, parts: number): BusboyInstance => {
  try {
    // Every part is a file, whether declared as one or not: real clients omit the filename.
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: () => true,
      highWaterMark: 262_144,
      fileHwm: 262_144,
      limits: { parts },
    });
  } catch {
    throw malformed();
  }
};

/** The parts of a multipart/form-data body, in order; each must be read completely before the next one. */
export class MultipartParts {
  readonly #incoming: IncomingMessage;
  readonly #parser: BusboyInstance;
  readonly #waiting: Part[] = [];
  #current: BusboyFileStream | null = null;
  /** Of all parts before the current one. */
  #earlierBytes = 0;
  /** Given to the parser. */
  #bytes = 0;
  #wake: (() => void) | null = null;
  #state: 'reading' | 'ended' | { failure: Error } = 'reading';

  /** Throws 400 for a content type without a boundary. */
  constructor(incoming: IncomingMessage, { multipartMaxFields }: Pick<Limits, 'multipartMaxFields'>) {
    this.#incoming = incoming;
    this.#parser = newParser(incoming.headers['content-type'] ?? '', multipartMaxFields + 1);
    this.#parser.on('file', (name: string | undefined, stream, filename: string | undefined, _encoding, contentType) => {
      // A broken part reports its error to its reader; without a reader the error is ignored.
      stream.on('error', () => this.#fail(malformed()));
      this.#earlierBytes += this.#current?.bytesRead ?? 0;
      this.#current = stream;
      this.#waiting.push({ name: name ?? '', stream, contentType, filename });
      this.#wake?.();
    });
    this.#parser.on('finish', () => this.#end('ended'));
    this.#parser.on('error', () => this.#fail(malformed()));
    this.#parser.on('partsLimit', () => this.#fail(tooManyParts(multipartMaxFields)));
    this.#parser.on('drain', this.#pull);
    incoming.on('error', this.#onBroken).on('close', this.#onBroken).on('end', this.#onEnd).on('readable', this.#pull);
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
    this.#parser.off('drain', this.#pull);
    const incoming = this.#incoming.off('error', this.#onBroken).off('close', this.#onBroken);
    incoming.off('end', this.#onEnd).off('readable', this.#pull).pause();
  }

  /** Unlike `pipe`, it parses nothing more once a limit is exceeded. */
  readonly #pull = (): void => {
    while (!this.#parser.writableNeedDrain && this.#state === 'reading') {
      const piece: unknown = this.#incoming.read();
      if (!(piece instanceof Uint8Array)) return;
      this.#parser.write(piece);
      this.#bytes += piece.length;
      if (this.#outsideParts > MOST_OUTSIDE_PARTS) this.#fail(tooMuchOutside());
    }
  };

  get #outsideParts(): number {
    const inParts = this.#earlierBytes + (this.#current?.bytesRead ?? 0);
    return this.#bytes - this.#parser.writableLength - inParts;
  }

  readonly #onEnd = (): void => void this.#parser.end();

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

export interface Head {
  readonly head: Buffer;
  /** Whether the part has ended. Otherwise the stream is paused. */
  readonly ended: boolean;
}

/** Reads a part until it has more than `limit` bytes or ends. Rejects with what `hold` throws: it is called before bytes are held. */
export const readHead = (stream: Readable, limit: number, hold?: (bytes: number) => void): Promise<Head> =>
  new Promise((resolve, reject) => {
    const pieces = new JoinedPieces();
    const leave = (): void => void stream.off('data', onData).off('end', onEnd).off('error', reject);
    const settle = (ended: boolean): void => {
      leave();
      resolve({ head: pieces.whole(), ended });
    };
    const onEnd = (): void => settle(true);
    const onData = (chunk: Buffer): void => {
      try {
        hold?.(chunk.length);
      } catch (error) {
        stream.pause();
        leave();
        reject(error);
        return;
      }
      pieces.add(chunk);
      if (pieces.bytes <= limit) return;
      stream.pause();
      settle(false);
    };
    if (stream.readableEnded) return onEnd();
    if (stream.destroyed) return reject(brokenOffBy(stream.errored));
    stream.on('data', onData).on('end', onEnd).on('error', reject).resume();
  });
