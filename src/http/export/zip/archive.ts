import { Readable } from 'node:stream';
import ZipStream from 'zip-stream';

export interface ZipFile {
  /** Path in the archive, with slashes. */
  readonly name: string;
  readonly date: Date;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

/** A ZIP archive, written as its files are read. */
export async function* zipped(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array> {
  const archive = new ZipStream();
  // Its failure destroys the archive, which fails its reader.
  writeAll(archive, files).catch((error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))));
  yield* archive;
}

const writeAll = async (archive: ZipStream, files: AsyncIterable<ZipFile>): Promise<void> => {
  for await (const file of files) await write(archive, file);
  archive.finish();
};

const write = (archive: ZipStream, { name, date, content }: ZipFile): Promise<void> =>
  new Promise((resolve, reject) => {
    const source = content instanceof Uint8Array ? Buffer.from(content) : Readable.from(content, { objectMode: false });
    archive.entry(source, { name, date }, (error) => (error ? reject(error) : resolve()));
  });
