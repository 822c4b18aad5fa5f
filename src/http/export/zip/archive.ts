import { Readable } from 'node:stream';
import ZipStream from 'zip-stream';

export interface ZipFile {
  /** Path in the archive, with slashes. */
  readonly name: string;
  readonly date: Date;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

/** A ZIP archive, written as its files are read. Its reader may leave at any time. */
export async function* zipped(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array> {
  const archive = new ZipStream();
  const open = new Set<Readable>();
  const writeAll = async (): Promise<void> => {
    for await (const { content, ...entry } of files) {
      const source = content instanceof Uint8Array ? Buffer.from(content) : Readable.from(content, { objectMode: false });
      if (source instanceof Readable) open.add(source);
      await write(archive, source, entry);
      if (source instanceof Readable) open.delete(source);
    }
    archive.finish();
  };
  // A failure destroys the archive, which fails its reader.
  writeAll().catch((error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))));
  try {
    yield* archive;
  } finally {
    for (const source of open) source.destroy();
  }
}

const write = (archive: ZipStream, source: Readable | Buffer, entry: Pick<ZipFile, 'name' | 'date'>): Promise<void> =>
  new Promise((resolve, reject) => {
    archive.entry(source, entry, (error) => (error ? reject(error) : resolve()));
  });
