import type { Dirent } from 'node:fs';
import { glob, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isRecording } from './recordings.ts';
import { WrongUse } from './wrongUse.ts';

/** A recording to transcribe. `shown` is its name for people. */
export type Source =
  | {
      readonly kind: 'file';
      readonly shown: string;
      /** Absolute. */
      readonly path: string;
      /** Its folder below the folder or pattern that was given; empty for a file that was named itself. */
      readonly below: string;
    }
  | { readonly kind: 'link'; readonly shown: string; readonly url: string }
  | { readonly kind: 'stdin'; readonly shown: string };

const isLink = (word: string): boolean => /^https?:\/\//i.test(word);
const isPattern = (word: string): boolean => /[*?[{]/.test(word);

/** The recordings that the words of the command name, each once. Throws `WrongUse` for a path that does not exist. */
export const sourcesOf = async (words: readonly string[]): Promise<Source[]> => {
  const found = new Map<string, Source>();
  for (const word of words) {
    for (const source of await sourcesIn(word)) {
      const id = source.kind === 'file' ? source.path : source.shown;
      if (!found.has(id)) found.set(id, source);
    }
  }
  return withoutOutputs([...found.values()]);
};

const sourcesIn = async (word: string): Promise<Source[]> => {
  if (word === '-') return [{ kind: 'stdin', shown: '-' }];
  if (isLink(word)) {
    if (!URL.canParse(word)) throw new WrongUse(`${word} is not a valid link.`);
    return [{ kind: 'link', shown: word, url: word }];
  }
  const info = await stat(word).catch(() => null);
  if (info?.isDirectory()) return recordingsIn(word);
  if (info && !info.isFile())
    throw new WrongUse(`${word} is not a file or a folder. Send it to standard input: tributary transcribe - < ${word}`);
  if (info) return [{ kind: 'file', shown: word, path: resolve(word), below: '' }];
  if (isPattern(word)) return matching(word);
  throw new WrongUse(`${word} does not exist.`);
};

/**
 * The recordings in a folder and the folders in it, in order of their names, then those in linked folders. Each folder is read once, so a link that leads
 * back ends there. Hidden ones, and `without`, are left out. `onUnreadable`: what to do about a sub-folder that cannot be read. By default it rejects.
 */
export const recordingsIn = async (
  folder: string,
  without: readonly string[] = [],
  onUnreadable: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<(Source & { readonly kind: 'file' })[]> => {
  const found: (Source & { readonly kind: 'file' })[] = [];
  const seen = new Set(await Promise.all(without.map((path) => realpath(path).catch(() => resolve(path)))));
  const linked: string[] = [];
  const visit = async (below: string): Promise<void> => {
    const real = await realpath(join(folder, below));
    if (seen.has(real)) return;
    seen.add(real);
    const entries = await readdir(join(folder, below), { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = resolve(folder, below, entry.name);
      const kind = await kindOf(entry, path);
      if (kind === 'folder' && !entry.name.startsWith('.')) {
        if (entry.isSymbolicLink()) linked.push(join(below, entry.name));
        else await visit(join(below, entry.name)).catch(onUnreadable);
      } else if (kind === 'file' && isRecording(entry.name)) found.push({ kind, shown: join(folder, below, entry.name), path, below });
    }
  };
  await visit('');
  // Last, so that a folder is found under its own name. Linked folders may have links too.
  for (const below of linked) await visit(below).catch(onUnreadable);
  return found;
};

/** Follows a symbolic link. */
const kindOf = async (entry: Dirent, path: string): Promise<'file' | 'folder' | null> => {
  const info = entry.isSymbolicLink() ? await stat(path).catch(() => null) : entry;
  if (info?.isDirectory()) return 'folder';
  return info?.isFile() ? 'file' : null;
};

/** Follows a symbolic link. */
const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isFile() ?? false;

const matching = async (pattern: string): Promise<Source[]> => {
  const fixed = fixedPart(pattern);
  const found: Source[] = [];
  for await (const path of glob(pattern)) {
    if (!isRecording(basename(path)) || !(await isFile(path))) continue;
    found.push({ kind: 'file', shown: path, path: resolve(path), below: belowOf(fixed, path) });
  }
  if (found.length === 0) throw new WrongUse(`No recording matches ${pattern}.`);
  return found.sort((a, b) => (a.shown < b.shown ? -1 : 1));
};

/** The folders of a pattern before its first wildcard. */
const fixedPart = (pattern: string): string => {
  const parts = pattern.split('/');
  const end = parts.findIndex(isPattern);
  return parts.slice(0, end).join('/') || (isAbsolute(pattern) ? '/' : '.');
};

const belowOf = (folder: string, path: string): string => relative(resolve(folder), dirname(resolve(path)));

/** `tributary transcribe *`, said again, names the texts of the first time too: a text beside the recording of its name is left out. */
const withoutOutputs = (sources: readonly Source[]): Source[] => {
  const recordings = new Set(
    sources.flatMap((source) => (source.kind === 'file' && isRecording(basename(source.path)) ? [stemOf(source.path)] : [])),
  );
  return sources.filter((source) => source.kind !== 'file' || !isOutput(source.path) || !recordings.has(stemOf(source.path)));
};

const OUTPUTS = /\.(txt|srt|vtt|json|md|docx|csv)$/i;
const isOutput = (path: string): boolean => OUTPUTS.test(path);

/** `a/talk.mp3` as `a/talk`; `.hidden` as it is. */
const stemOf = (path: string): string => path.replace(/(?<=[^/\\])\.[^./\\]*$/, '');
