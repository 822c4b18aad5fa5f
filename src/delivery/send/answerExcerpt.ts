import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const EXCERPT_BYTES = 16 * 1024;

const decoderOf = (encoding: string): NodeJS.ReadWriteStream | null => {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : null;
};

/**
 * The first 16 KiB of an answer, decompressed; `null` if it has no body or cannot be read. Never holds more than a few chunks; a longer body is cut
 * off with its connection. To stop waiting, callers destroy the body: then the excerpt is the part that arrived.
 */
export const readExcerpt = async (
  body: Readable,
  { empty, encoding }: { empty: boolean; encoding: string | undefined },
): Promise<string | null> => {
  body.on('error', () => undefined);
  if (empty) {
    // A body read to its end keeps the connection.
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
    // Cut off, or not in its declared encoding: the readable part is kept.
  }
  if (!body.readableEnded) body.destroy();
  return bytes === 0 ? null : Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8');
};
