import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const gzipped: (bytes: Buffer) => Promise<Buffer> = promisify(gzip);

/** JSON that is the same in every answer. It is serialised and compressed once, when it is first needed. */
export class ConstantJson {
  readonly #value: object;
  readonly #compress: typeof gzipped;
  #bytes: Buffer | null = null;
  #zipped: Promise<Buffer> | null = null;

  constructor(value: object, compress = gzipped) {
    this.#value = value;
    this.#compress = compress;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.#value));
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
