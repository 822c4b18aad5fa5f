import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Limits } from '../../../limits.ts';
import { invalidField, OpenAiProblem } from '../../errors/openAiErrors.ts';
import { fileNameOf, MultipartParts, type Part, readHead } from '../../gateway/multipart.ts';
import { withoutIndex } from '../../input/parameters.ts';
import type { HeldMemory } from '../../limits/memoryBudget.ts';

type FormLimits = Pick<Limits, 'multipartFieldsMaxBytes' | 'multipartMaxFields'>;

/** The audio file of a form: the bytes are `head` and the rest of `stream`. */
export interface FormFile {
  readonly head: Buffer;
  readonly stream: Readable;
  readonly fileName: string | null;
}

/** Values of the form's fields by name. `x[]` and `x[0]` are the field `x`. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

/** The multipart form of a speech request. Its parts may be in any order, so fields are read before and after the file. */
export class SpeechForm {
  readonly #parts: MultipartParts;
  readonly #limits: FormLimits;
  readonly #memory: HeldMemory;
  readonly #fields = new Map<string, string[]>();
  #bytes = 0;
  #count = 0;

  /** Its fields count in the memory. Throws 400 for a content type without a boundary. */
  constructor(incoming: IncomingMessage, limits: FormLimits, memory: HeldMemory) {
    this.#limits = limits;
    this.#memory = memory;
    this.#parts = new MultipartParts(incoming, limits);
  }

  /** The fields read so far. */
  get fields(): FormFields {
    return this.#fields;
  }

  /** Why reading has failed, in words for the caller. */
  get failure(): Error | null {
    return this.#parts.failure;
  }

  /** Reads up to the first bytes of the file. Throws 400 for a form without a file and for an empty one. */
  async file(): Promise<FormFile> {
    for (let part = await this.#parts.next(); part; part = await this.#parts.next()) {
      if (part.name !== 'file') {
        await this.#take(part);
        continue;
      }
      const { head } = await readHead(part.stream, 0);
      if (head.length === 0) throw invalidField('file', 'The file is empty. Send a recording with sound.', 'empty_file');
      return { head, stream: part.stream, fileName: fileNameOf(part) };
    }
    throw invalidField('file', 'The form has no file. Send the recording as the field "file".', 'missing_required_parameter');
  }

  /** Reads the fields after the file, to the end of the form. `true` if there were any. */
  async rest(): Promise<boolean> {
    const before = this.#count;
    for (let part = await this.#parts.next(); part; part = await this.#parts.next()) {
      if (part.name === 'file') throw invalidField('file', 'The form has two files. Send one recording a request.');
      await this.#take(part);
    }
    return this.#count > before;
  }

  /** Leaves the rest of the body unread. */
  release(): void {
    this.#parts.release();
  }

  async #take({ name, stream }: Part): Promise<void> {
    const { multipartFieldsMaxBytes: most } = this.#limits;
    const { head } = await readHead(stream, most - this.#bytes, (bytes) => this.#memory.take(bytes));
    this.#bytes += head.length;
    this.#count += 1;
    if (this.#bytes > most) throw fieldsTooLarge(most);
    const field = withoutIndex(name);
    const values = this.#fields.get(field) ?? [];
    values.push(head.toString('utf8'));
    this.#fields.set(field, values);
  }
}

const fieldsTooLarge = (most: number): OpenAiProblem =>
  new OpenAiProblem('GENERAL_BAD_REQUEST_ERROR', `The fields of the form may have ${most} bytes together. Send fewer or shorter ones.`, {
    statusCode: 413,
    title: 'Too large',
  });
