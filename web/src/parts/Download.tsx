import { ask, type RequestOptions } from '../api/request.ts';
import { useAction } from '../api/useAction.ts';
import { announce } from '../shell/Announcer.tsx';
import { Icon } from './Icon.tsx';
import { closeMenu } from './Menu.tsx';
import { ErrorNote } from './Notes.tsx';

export interface DownloadProps {
  readonly label: string;
  readonly path: string;
  readonly query?: RequestOptions['query'];
  /** If the server does not name the file. */
  readonly fileName: string;
  /** Meaning of a 204 here. */
  readonly whenEmpty: string;
  /** `Accept`, for an answer that has several forms. */
  readonly accept?: string;
}

/** Gets a file with the caller's credential and hands it to the browser. In a menu, it then closes the menu. */
export const Download = ({ label, path, query = {}, fileName, whenEmpty, accept }: DownloadProps) => {
  const { busy, error, run } = useAction(async (button: Element) => {
    const response = await ask('GET', path, { query, ...(accept && { headers: { Accept: accept } }) });
    if (response.status === 204) announce(whenEmpty);
    else save(await response.blob(), nameIn(response) ?? fileName);
    closeMenu(button);
  });
  return (
    <>
      <button type="button" class="button" disabled={busy} onClick={({ currentTarget }) => void run(currentTarget)}>
        <Icon name="download" /> {label}
      </button>
      {error && <ErrorNote error={error} />}
    </>
  );
};

/** The name that the server gives a file. */
const nameIn = ({ headers }: Response): string | null => {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(headers.get('Content-Disposition') ?? '')?.[1];
  return encoded === undefined ? null : decodeURIComponent(encoded);
};

/** Hands a file to the browser. */
export const save = (content: Blob, fileName: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};
