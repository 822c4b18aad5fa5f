import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const zip = promisify(gzip);
const gzipped = (bytes: Buffer): Promise<Buffer> => zip(bytes, { level: 9 });

/** A body that is the same in every answer. It is made and compressed once, when it is first needed: a start does not pay for it. */
export class ConstantBody {
  readonly #make: () => Buffer;
  readonly #compress: typeof gzipped;
  #bytes: Buffer | null = null;
  #zipped: Promise<Buffer> | null = null;

  constructor(make: () => Buffer, compress = gzipped) {
    this.#make = make;
    this.#compress = compress;
  }

  get bytes(): Buffer {
    this.#bytes ??= this.#make();
    return this.#bytes;
  }

  get zipped(): Promise<Buffer> {
    this.#zipped ??= this.#compress(this.bytes).catch((error: unknown) => {
      this.#zipped = null;
      throw error;
    });
    return this.#zipped;
  }
}
