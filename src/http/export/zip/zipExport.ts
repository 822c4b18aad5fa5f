import { parse } from 'node:path';
import { framesOf } from '../../../results/sinks.ts';
import type { Topics } from '../../../stores/topics.ts';
import { FILE_TYPES } from '../../route/fileTypes.ts';
import type { ApiRequest, ApiResponse } from '../../route/route.ts';
import { streamFileName, type UploadSource, uploadName } from '../../streams/uploadName.ts';
import type { CollectedExports, WantedFile } from '../collectedExports.ts';
import { type ZipFile, zipped } from './archive.ts';

/** A stream in a ZIP: a folder of files. */
export interface ZipFolder {
  readonly source: UploadSource;
  readonly files: readonly WantedFile[];
  /** Whether its upload is among the files. */
  readonly media: boolean;
}

interface ZipDeps {
  readonly topics: Pick<Topics, 'read'>;
  readonly collected: CollectedExports;
}

/** Answers with a folder for each stream. Rejects with 400 if the results of a file are larger than `EXPORT_MAX_BYTES`. */
export const zipAnswer = async (deps: ZipDeps, folders: readonly ZipFolder[], request: ApiRequest): Promise<ApiResponse> => {
  for (const file of folders.flatMap(({ files }) => files)) await deps.collected.check(file);
  await deps.collected.enter(request);
  return { status: 200, contentType: FILE_TYPES.ZIP.contentType, chunks: zipped(filesOf(deps, folders, request.signal)) };
};

async function* filesOf({ topics, collected }: ZipDeps, folders: readonly ZipFolder[], signal: AbortSignal): AsyncGenerator<ZipFile> {
  const folderNames = new Set<string>();
  for (const { source, files, media } of folders) {
    const name = streamFileName(source);
    const [folder, date] = [unused(name, '', folderNames), new Date(source.createdTimestamp)];
    const fileNames = new Set<string>();
    const pathOf = (base: string, ending: string): string => `${folder}/${unused(base, ending, fileNames)}`;
    for (const file of files) {
      const content = await collected.content(file, signal);
      if (content) yield { name: pathOf(name, `.${FILE_TYPES[file.format].ending}`), date, content };
    }
    const upload = media ? await opened(bytesOf(topics, source.topic, signal)) : null;
    if (!upload) continue;
    const own = parse(uploadName(source, upload.beginning));
    yield { name: pathOf(own.name, own.ext), date, content: upload.content };
  }
}

/** The name, with a number if it is taken. Some file systems do not distinguish case. */
const unused = (name: string, ending: string, names: Set<string>): string => {
  let free = name + ending;
  for (let n = 2; names.has(free.toLowerCase()); n += 1) free = `${name} (${n})${ending}`;
  names.add(free.toLowerCase());
  return free;
};

async function* bytesOf(topics: Pick<Topics, 'read'>, topic: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const { data } of framesOf(topics, topic, signal)) yield data;
}

/** Some bytes with the first of them; `null` if there are none. */
const opened = async (bytes: AsyncGenerator<Uint8Array>): Promise<{ beginning: Uint8Array; content: AsyncIterable<Uint8Array> } | null> => {
  const first = await bytes.next();
  return first.done ? null : { beginning: first.value, content: withFirst(first.value, bytes) };
};

async function* withFirst(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
