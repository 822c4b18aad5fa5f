import { audioTypeOf } from '../../processors/transcriber/audioType.ts';
import type { StreamDocument } from '../../projections/streams.ts';
import { safeFileName } from '../answers/fileName.ts';

const UNKNOWN_ENDINGS: Readonly<Record<string, string>> = { string: '.txt' };

/** File name of the uploaded bytes: the one they came with, otherwise the stream's with the ending of its kind of recording. */
export const uploadName = ({ fileName, stream }: Pick<StreamDocument, 'fileName' | 'stream'>, beginning: Uint8Array): string => {
  if (fileName != null) return safeFileName(fileName, stream.streamId);
  const ending = audioTypeOf(beginning).ending ?? UNKNOWN_ENDINGS[stream.configuration.dataSource.messageSchema] ?? '.bin';
  const name = safeFileName(stream.name ?? '', stream.streamId);
  return name.toLowerCase().endsWith(ending) ? name : name + ending;
};
