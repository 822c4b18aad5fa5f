import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const zipped = promisify(gzip);

/** JSON that is the same in every answer. It is serialised and compressed once, when it is first needed. */
export class ConstantJson {
  readonly #value: object;
  #bytes: Buffer | null = null;
  #zipped: Promise<Buffer> | null = null;

  constructor(value: object) {
    this.#value = value;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.#value));
    return this.#bytes;
  }

  get zipped(): Promise<Buffer> {
    this.#zipped ??= zipped(this.bytes);
    return this.#zipped;
  }
}
