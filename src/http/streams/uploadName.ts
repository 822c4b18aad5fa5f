import { audioTypeOf } from '../../processors/transcriber/audioType.ts';
import type { StreamDocument } from '../../projections/streams.ts';
import { safeFileName } from '../answers/fileName.ts';

/** The part of a stream that its download needs. */
export interface UploadSource {
  readonly streamId: string;
  readonly name: string | null;
  readonly fileName: string | null;
  readonly createdTimestamp: string;
  /** Public name of the topic with the bytes. */
  readonly topic: string;
  readonly messageSchema: string;
}

export const uploadSource = ({ stream, fileName }: Pick<StreamDocument, 'stream' | 'fileName'>): UploadSource => {
  const { streamId, name, createdTimestamp, configuration } = stream;
  const { topic, messageSchema } = configuration.dataSource;
  return { streamId, name, fileName: fileName ?? null, createdTimestamp, topic, messageSchema };
};

/** Of a file, not of `Budget 12.30`. */
const ENDING = /\.(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{1,10}$/;

/** Name of a stream for people. One that has the name of its upload, `talk.mp3`, is `talk`. Empty without a name. */
export const streamTitle = ({ name, fileName }: Pick<UploadSource, 'name' | 'fileName'>): string =>
  (name === fileName ? name?.replace(ENDING, '') : name) ?? '';

/** Name for files of a stream, without an ending. */
export const streamFileName = (source: Pick<UploadSource, 'name' | 'fileName' | 'streamId'>): string =>
  safeFileName(streamTitle(source), source.streamId);

const UNKNOWN_ENDINGS: Readonly<Record<string, string>> = { string: '.txt' };

/** File name of the uploaded bytes: the one they came with, otherwise the stream's with the ending of its kind of recording. */
export const uploadName = (source: UploadSource, beginning: Uint8Array): string => {
  if (source.fileName !== null) return safeFileName(source.fileName, source.streamId);
  const ending = audioTypeOf(beginning).ending ?? UNKNOWN_ENDINGS[source.messageSchema] ?? '.bin';
  const name = streamFileName(source);
  return name.toLowerCase().endsWith(ending) ? name : name + ending;
};
