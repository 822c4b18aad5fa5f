import { ask, type RequestOptions } from '../api/request.ts';
import { useAction } from '../api/useAction.ts';
import { announce } from '../shell/Announcer.tsx';
import { Icon } from './Icon.tsx';
import { ErrorNote } from './Notes.tsx';

export interface DownloadProps {
  readonly label: string;
  readonly path: string;
  readonly query?: RequestOptions['query'];
  readonly fileName: string;
  /** Meaning of a 204 here. */
  readonly whenEmpty: string;
  /** `Accept`, for an answer that has several forms. */
  readonly accept?: string;
}

/** Gets a file with the caller's credential and hands it to the browser. */
export const Download = ({ label, path, query = {}, fileName, whenEmpty, accept }: DownloadProps) => {
  const { busy, error, run } = useAction(async () => {
    const response = await ask('GET', path, { query, ...(accept && { headers: { Accept: accept } }) });
    if (response.status === 204) return announce(whenEmpty);
    save(await response.blob(), fileName);
  });
  return (
    <>
      <button type="button" class="button" disabled={busy} onClick={() => void run()}>
        <Icon name="download" /> {label}
      </button>
      {error && <ErrorNote error={error} />}
    </>
  );
};

/** Hands a file to the browser. */
export const save = (content: Blob, fileName: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};
