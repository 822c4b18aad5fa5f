import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Html } from './html.ts';

/** The build's files for `/docs`. */
export interface DocsFiles {
  /** Address of an asset by its name in `web`, such as `docs.css`; `null` without a build. */
  readonly asset: (name: string) => string | null;
  readonly guides: readonly Guide[];
}

/** A guide of `docs/guides`, rendered by the build: our own text. */
export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly body: Html;
}

export const NO_FILES: DocsFiles = { asset: () => null, guides: [] };

/** `folder` is the dashboard's build. */
export const docsFiles = (folder: string): DocsFiles => {
  const namesIn = (part: string): readonly string[] => (existsSync(join(folder, part)) ? readdirSync(join(folder, part)).sort() : []);
  const assets = new Map(namesIn('assets').map((file) => [file.replace(/-\w+\./, '.'), `/assets/${file}`]));
  return {
    asset: (name) => assets.get(name) ?? null,
    guides: namesIn('guides').map((file) => {
      const text = readFileSync(join(folder, 'guides', file), 'utf8');
      return { name: file.replace(/\.html$/, ''), title: titleOf(text), body: new Html(text) };
    }),
  };
};

/** The text of the heading that each guide begins with. */
const titleOf = (text: string): string =>
  (/<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1] ?? '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
