import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Html } from './html.ts';

/** The build's files for `/docs`. */
export interface DocsFiles {
  /** Address of the script that sends requests from the pages; `null` without one. */
  readonly script: string | null;
  /** Address of the icon; `null` without one. */
  readonly icon: string | null;
  readonly guides: readonly Guide[];
}

/** A guide of `docs/guides`, rendered by the build: our own text. */
export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly body: Html;
}

export const NO_FILES: DocsFiles = { script: null, icon: null, guides: [] };

/** `folder` is the dashboard's build. Without a build there are no guides and no script. */
export const docsFiles = (folder: string): DocsFiles => {
  const [assets, guides] = [join(folder, 'assets'), join(folder, 'guides')];
  const built = existsSync(assets) ? readdirSync(assets) : [];
  const asset = (form: RegExp): string | null => {
    const name = built.find((one) => form.test(one));
    return name === undefined ? null : `/assets/${name}`;
  };
  const names = existsSync(guides) ? readdirSync(guides).filter((name) => name.endsWith('.html')) : [];
  return {
    script: asset(/^tryIt-\w+\.js$/),
    icon: asset(/^icon-\w+\.svg$/),
    guides: names.sort().map((name) => guideOf(guides, name)),
  };
};

const guideOf = (folder: string, file: string): Guide => {
  const text = readFileSync(join(folder, file), 'utf8');
  const heading = /<h1[^>]*>(.*?)<\/h1>/s.exec(text);
  const title = heading?.[1]?.replaceAll(/<[^>]*>/g, '') ?? file;
  // Each page has its title as its heading.
  return { name: file.replace(/\.html$/, ''), title: withoutEntities(title), body: new Html(text.replace(heading?.[0] ?? '', '')) };
};

const withoutEntities = (text: string): string =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
