import type { Readable } from 'node:stream';
import { Problem } from '../../domain/problem.ts';
import type { Limits } from '../../limits.ts';
import type { HeldMemory } from '../limits/memoryBudget.ts';
import { badConfiguration } from './configurationPart.ts';
import { fileNameOf, type Head, type MultipartParts, type Part, readHead } from './multipart.ts';

/** An ordinary field of a form. It means the same as a parameter of the query. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** A multipart upload up to its file: the bytes are `head` and the rest of `stream`. */
export interface MultipartUpload {
  readonly fields: readonly FormField[];
  readonly configuration: Uint8Array | null;
  readonly head: Uint8Array;
  readonly stream: Readable;
  /** `null` if the file has none. */
  readonly fileName: string | null;
  /** The error for a part after the file. */
  readonly surplus: (part: Part) => Problem;
}

type FormLimits = Pick<Limits, 'configurationPartMaxBytes' | 'multipartFieldsMaxBytes'>;

/** The type of a part that names none, such as a text field of a form. */
const DEFAULT_TYPE = 'text/plain';
const JSON_TYPE = 'application/json';

const BYTE_ORDER_MARK = Buffer.from('\u{FEFF}');
/** Bytes of a first part after which it is only a configuration if it begins like one. */
const UNDECIDED_BYTES = 65_536;

const tooLarge = (message: string): Problem => new Problem('GENERAL_BAD_REQUEST_ERROR', message, { statusCode: 413, title: 'Too large' });

const configurationTooLarge = (most: number): Problem =>
  tooLarge(`The configuration part exceeds ${most} bytes. If the part is the file itself, give it a filename.`);

const fieldsTooLarge = (most: number): Problem =>
  tooLarge(`The fields of the form may have ${most} bytes together. If a part is the file, give it a filename.`);

const afterFile = ({ name }: Part): Problem =>
  badConfiguration(
    `The part ${JSON.stringify(name.slice(0, 100))} comes after the file. Send the configuration and the fields first, then one file.`,
  );

const noFile = (): Problem => badConfiguration('The form has no file. Send it as the last part, with a filename or under the name "file".');

/** Whether a part is a file by its own description. */
const isFile = ({ contentType, ...part }: Part): boolean =>
  part.name === 'file' || part.filename !== undefined || (contentType !== DEFAULT_TYPE && contentType !== JSON_TYPE);

const mayBeField = (part: Part): boolean =>
  !isFile(part) && part.contentType === DEFAULT_TYPE && part.name !== '' && part.name !== 'configuration';

/** Whether a part begins like a JSON object, or is empty. */
const mayBeConfiguration = ({ contentType }: Part, head: Buffer): boolean => {
  if (contentType === JSON_TYPE) return true;
  const start = head.subarray(head.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0);
  return /^\s*(\{|$)/.test(start.subarray(0, UNDECIDED_BYTES).toString('latin1'));
};

/** Whether the beginning of a part looks like JSON. */
const looksLikeJson = ({ contentType }: Part, head: Buffer): boolean =>
  contentType === JSON_TYPE || (contentType === DEFAULT_TYPE && head.subarray(0, 64).toString('latin1').trimStart().startsWith('{'));

/**
 * Reads up to the first byte of the file, which is the last part. A single part is the file. Before it may come one configuration (the first part if it is
 * JSON, or a part of that type or name) and ordinary fields (text without a filename). Only the end of a part shows whether another one follows, so it is
 * held until then, and counts as held like a JSON body.
 */
export const openMultipart = async (parts: MultipartParts, limits: FormLimits, memory: HeldMemory): Promise<MultipartUpload> => {
  try {
    return await new Opening(parts, limits, memory).open();
  } catch (error) {
    throw parts.failure ?? error;
  }
};

class Opening {
  readonly #parts: MultipartParts;
  readonly #limits: FormLimits;
  readonly #memory: HeldMemory;
  readonly #fields: FormField[] = [];
  #fieldBytes = 0;
  #configuration: Uint8Array | null = null;

  constructor(parts: MultipartParts, limits: FormLimits, memory: HeldMemory) {
    this.#parts = parts;
    this.#limits = limits;
    this.#memory = memory;
  }

  async open(): Promise<MultipartUpload> {
    let part = await this.#parts.next();
    if (!part) throw badConfiguration('The multipart body has no parts.');
    for (;;) {
      const isFirst = this.#fields.length === 0 && this.#configuration === null;
      if (!isFirst && isFile(part)) return this.#found(part, Buffer.alloc(0));
      const { head, ended } = await (isFirst ? this.#first(part) : this.#later(part));
      if (!ended) return this.#unended(part, head);
      const next = await this.#parts.next();
      if (!next) return this.#found(part, head);
      this.#keep(part, head, isFirst, next);
      part = next;
    }
  }

  #found(part: Part, head: Uint8Array, surplus: MultipartUpload['surplus'] = afterFile): MultipartUpload {
    // A field would be taken for the file of a form without one.
    if (this.#fields.length > 0 && !isFile(part)) throw noFile();
    return { fields: this.#fields, configuration: this.#configuration, head, stream: part.stream, fileName: fileNameOf(part), surplus };
  }

  /** A part that is too large to be held. */
  #unended(part: Part, head: Buffer): MultipartUpload {
    if (this.#fields.length > 0) throw fieldsTooLarge(this.#limits.multipartFieldsMaxBytes);
    if (this.#configuration !== null || !looksLikeJson(part, head)) return this.#found(part, head);
    const most = this.#limits.configurationPartMaxBytes;
    if (fileNameOf(part) === null) throw configurationTooLarge(most);
    // If another part follows, it was a configuration after all: too large.
    return this.#found(part, head, () => configurationTooLarge(most));
  }

  /** Keeps a part before the file. */
  #keep(part: Part, head: Buffer, isFirst: boolean, next: Part): void {
    const isJson = isFirst && mayBeConfiguration(part, head);
    if (mayBeField(part) && !isJson) {
      this.#fields.push({ name: part.name, value: head.toString('utf8') });
      this.#fieldBytes += head.length;
      if (isFirst) this.#memory.take(head.length);
      if (this.#fieldBytes > this.#limits.multipartFieldsMaxBytes) throw fieldsTooLarge(this.#limits.multipartFieldsMaxBytes);
    } else if (this.#configuration === null && (isJson || !isFile(part))) this.#configuration = head;
    else throw afterFile(next);
  }

  /** A possible configuration is read to its end, and counts as held. Anything else is taken for the file after 64 KiB. */
  async #first(part: Part): Promise<Head> {
    const most = this.#limits.configurationPartMaxBytes;
    const start = await readHead(part.stream, Math.min(UNDECIDED_BYTES, most));
    if (start.ended || !mayBeConfiguration(part, start.head)) return start;
    this.#memory.take(start.head.length);
    const rest = await readHead(part.stream, most - start.head.length, (bytes) => this.#memory.take(bytes));
    const head = Buffer.concat([start.head, rest.head]);
    return { head, ended: rest.ended && head.length <= most };
  }

  async #later(part: Part): Promise<Head> {
    const { configurationPartMaxBytes, multipartFieldsMaxBytes } = this.#limits;
    const most = part.contentType === JSON_TYPE ? configurationPartMaxBytes : multipartFieldsMaxBytes;
    const { head, ended } = await readHead(part.stream, most, (bytes) => this.#memory.take(bytes));
    return { head, ended: ended && head.length <= most };
  }
}

/** Throws the result of `surplus` if a part follows the file. */
export const expectNoMoreParts = async (parts: MultipartParts, surplus: MultipartUpload['surplus']): Promise<void> => {
  const part = await parts.next();
  if (part) throw surplus(part);
};
