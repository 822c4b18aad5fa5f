import { session } from '../shell/session.ts';

/** An unfinished resumable upload, which continues when its file is chosen again. */
export interface KeptUpload {
  /** Path of the upload. */
  readonly location: string;
  readonly streamId: string;
  readonly templateId: string;
  readonly subject: string;
  readonly file: FileFacts;
}

interface FileFacts {
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
}

// A reloaded page has lost the file, but not the upload. Other users of this browser do not see it.
const KEY = 'tributary.uploads';

// Only `write` writes it.
const read = (): readonly KeptUpload[] => JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly KeptUpload[];

const write = (uploads: readonly KeptUpload[]): void => localStorage.setItem(KEY, JSON.stringify(uploads));

/** Those of the signed-in user. */
export const keptUploads = (): readonly KeptUpload[] => read().filter(({ subject }) => subject === session.value?.caller.subject);

export const forgetUpload = (streamId: string): void => write(read().filter((one) => one.streamId !== streamId));

export const keepUpload = (upload: Omit<KeptUpload, 'subject' | 'file'>, { name, size, lastModified }: File): void => {
  const subject = session.value?.caller.subject ?? '';
  write([...read().filter((one) => one.streamId !== upload.streamId), { ...upload, subject, file: { name, size, lastModified } }]);
};

export const isFileOf = ({ file }: KeptUpload, { name, size, lastModified }: File): boolean =>
  name === file.name && size === file.size && lastModified === file.lastModified;
