import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Clock } from '../clock.ts';

export const EXCERPT_BYTES = 16 * 1024;
/** A body that takes longer is cut off: the delivery is decided already. */
const READ_MILLISECONDS = 1_000;

const decoderOf = (encoding: string): NodeJS.ReadWriteStream | null => {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : null;
};

/**
 * The first 16 KiB of an answer, decompressed; `null` when it has none, or cannot be read. Never holds more than a few chunks, whatever is
 * sent, and never takes longer than a second; then the rest is cut off, and the connection with it.
 */
export const readExcerpt = async (
  body: Readable,
  { length, encoding, clock }: { length: string | undefined; encoding: string | undefined; clock: Clock },
): Promise<string | null> => {
  // Read to its end where that is at once: the connection is kept.
  body.on('error', () => undefined);
  if (length === '0') {
    body.resume();
    return null;
  }
  const coding = encoding?.trim().toLowerCase() ?? 'identity';
  const decoder = coding === '' || coding === 'identity' ? null : decoderOf(coding);
  const source: NodeJS.ReadableStream = decoder ? body.pipe(decoder) : body;
  const over = new AbortController();
  const tooLong = clock.sleep(READ_MILLISECONDS, over.signal).then(
    () => body.destroy(),
    () => undefined,
  );
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
  over.abort();
  await tooLong;
  if (!body.readableEnded) body.destroy();
  return bytes === 0 ? null : Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8');
};
