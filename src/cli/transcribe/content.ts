import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { UploadBody } from '#client';
import type { Source } from './sources.ts';

/** The content of a source, which can be read several times. */
export interface Content {
  /** Hex SHA-256 of a file; a link itself. */
  readonly id: string;
  /** `null` for a link. */
  readonly bytes: number | null;
  readonly contentType: string;
  body(): UploadBody;
  /** Whether the file has changed since it was opened. */
  changed(): Promise<boolean>;
}

export const contentOf = async (source: Source & { readonly kind: 'file' | 'link' }, signal: AbortSignal): Promise<Content> => {
  if (source.kind === 'link') {
    const { url } = source;
    return { id: url, bytes: null, contentType: 'text/plain', body: () => url, changed: async () => false };
  }
  const { path } = source;
  const before = await stat(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  return {
    id: hash.digest('hex'),
    bytes: before.size,
    contentType: 'application/octet-stream',
    body: () => createReadStream(path),
    changed: async () => {
      const now = await stat(path);
      return now.size !== before.size || now.mtimeMs !== before.mtimeMs;
    },
  };
};

/** Standard input as a temporary file: it is hashed, and sent again if the connection breaks. */
export const withStandardInput = async <T>(work: (path: string) => Promise<T>, signal: AbortSignal): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-'));
  try {
    const path = join(folder, 'stdin');
    await pipeline(process.stdin, createWriteStream(path), { signal });
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
