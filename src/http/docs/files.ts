import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Html } from './html.ts';

/** Output of the build for `/docs`, in `docs.json`. */
export interface DocsFiles {
  /** Addresses of the icon, of the script, and of the styles of all pages and of the viewer. */
  readonly assets: { readonly icon: string; readonly script: string; readonly style: string; readonly viewerStyle: string };
  readonly guides: readonly Guide[];
  /** Of the pages of shared transcripts. */
  readonly shared: { readonly icon: string; readonly script: string; readonly style: string };
}

/** A guide of `docs/guides`, our own text. */
export interface Guide extends Html {
  readonly name: string;
  readonly title: string;
}

export const NO_FILES: DocsFiles = {
  assets: { icon: '', script: '', style: '', viewerStyle: '' },
  guides: [],
  shared: { icon: '', script: '', style: '' },
};

/** `folder` is the dashboard's build; without one, the pages have neither style nor guides. */
export const docsFiles = (folder: string): DocsFiles => {
  const file = join(folder, 'docs.json');
  // Only the build writes it.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DocsFiles) : NO_FILES;
};
