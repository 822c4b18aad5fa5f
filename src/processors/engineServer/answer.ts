import { StringDecoder } from 'node:string_decoder';

export interface EngineAnswer {
  readonly text: string;
  /** Media type in lower case without parameters; empty if missing. */
  readonly contentType: string;
  /** The answer is longer than the limit: `text` is its beginning. */
  readonly tooLarge: boolean;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Reads an answer up to a number of bytes. */
export const readAnswer = async (body: AsyncIterable<Uint8Array>, headers: Headers, maxBytes: number): Promise<EngineAnswer> => {
  const contentType = (headerOf(headers, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop destroys the body and its connection.
    if (bytes > maxBytes) return { text: parts.join(''), contentType, tooLarge: true };
    parts.push(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }
  return { text: parts.join('') + decoder.end(), contentType, tooLarge: false };
};

export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};
