import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const EXCERPT_BYTES = 16 * 1024;

const decoderOf = (encoding: string): NodeJS.ReadWriteStream | null => {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : null;
};

/**
 * The first 16 KiB of an answer, decompressed; `null` when it has none, or cannot be read. Never holds more than a few chunks, whatever is
 * sent; the rest is cut off, and the connection with it. Who gives up waiting destroys the body: then it is what had come.
 */
export const readExcerpt = async (
  body: Readable,
  { empty, encoding }: { empty: boolean; encoding: string | undefined },
): Promise<string | null> => {
  body.on('error', () => undefined);
  if (empty) {
    // Read to its end, which is at once: the connection is kept.
    body.resume();
    return null;
  }
  const coding = encoding?.trim().toLowerCase() ?? 'identity';
  const decoder = coding === '' || coding === 'identity' ? null : decoderOf(coding);
  const source: NodeJS.ReadableStream = decoder ? body.pipe(decoder) : body;
  const chunks: Buffer[] = [];
  let bytes = 0;
  body.once('close', () => {
    if (decoder && !body.readableEnded) decoder.end();
  });
  try {
    for await (const chunk of source) {
      const buffer = Buffer.from(chunk);
      chunks.push(buffer);
      bytes += buffer.length;
      if (bytes >= EXCERPT_BYTES) break;
    }
  } catch {
    // Broken off, or not what its encoding says: what came before is kept.
  }
  if (!body.readableEnded) body.destroy();
  return bytes === 0 ? null : Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8');
};
