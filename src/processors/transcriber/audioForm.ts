import { randomUUID } from 'node:crypto';
import { audioTypeOf } from './audioType.ts';

/** A `multipart/form-data` body with text fields and, last, a streamed recording. */
export interface AudioForm {
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Length of the body in bytes; `null` if the recording's length is unknown. */
  readonly length: number | null;
}

export type FormFields = readonly (readonly [name: string, value: string])[];

/** Rejects with the error of the recording's source. `null` for an empty recording. */
export const audioForm = async (
  fields: FormFields,
  recording: AsyncIterable<Uint8Array>,
  size: number | null,
): Promise<AudioForm | null> => {
  const frames = recording[Symbol.asyncIterator]();
  let first = await frames.next();
  while (!first.done && first.value.byteLength === 0) first = await frames.next();
  if (first.done) return null;
  // Random, so that no recording contains it.
  const boundary = `tributary-${randomUUID()}`;
  const { fileName, contentType } = audioTypeOf(first.value);
  const texts = fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: ${contentType}\r\n\r\n`;
  const head = Buffer.from(texts.join('') + file);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: formBody(head, first.value, frames, tail),
    length: size === null ? null : head.byteLength + size + tail.byteLength,
  };
};

async function* formBody(
  head: Uint8Array,
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
    yield tail;
  } finally {
    await rest.return?.();
  }
}
