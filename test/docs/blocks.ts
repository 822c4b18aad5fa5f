import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The commands of one fenced `sh` block of a page. */
export interface CommandBlock {
  /** Such as `docs/operations.md:47`. */
  readonly place: string;
  readonly commands: string;
}

export interface CommandPage {
  readonly file: string;
  readonly blocks: readonly CommandBlock[];
}

const blocksOf = (file: string): CommandBlock[] => {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => ({
    place: `${file}:${text.slice(0, match.index).split('\n').length}`,
    commands: match[1] ?? '',
  }));
};

const pagesUnder = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return pagesUnder(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });

/** Every page of the project's documents. */
export const documentPages = (): string[] => ['README.md', ...pagesUnder('docs').sort()];

/** Pages with commands. */
export const commandPages = (): CommandPage[] =>
  documentPages()
    .map((file) => ({ file, blocks: blocksOf(file) }))
    .filter(({ blocks }) => blocks.length > 0);
