import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block that a reader runs: commands of a shell, or a program. */
export interface CommandBlock {
  /** Such as `docs/operations.md:47`. */
  readonly place: string;
  readonly language: string;
  readonly commands: string;
}

export interface CommandPage {
  readonly file: string;
  readonly blocks: readonly CommandBlock[];
}

const blocksOf = (file: string): CommandBlock[] => {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^( *)```(sh|bash|js|python)\n(.*?)^\1```$/gms)].map(
    ({ index, 1: indent, 2: language = '', 3: commands = '' }) => ({
      place: `${file}:${text.slice(0, index).split('\n').length}`,
      language,
      commands: commands.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
};

const pagesUnder = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return pagesUnder(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });

const CLIENTS = ['clients/python/README.md', 'clients/typescript/README.md'];

/** Every page of the project's documents. */
export const documentPages = (): string[] => ['README.md', ...CLIENTS, ...pagesUnder('docs').sort()];

/** Pages with commands or programs. */
export const commandPages = (): CommandPage[] =>
  documentPages()
    .map((file) => ({ file, blocks: blocksOf(file) }))
    .filter(({ blocks }) => blocks.length > 0);
