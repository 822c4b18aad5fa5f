import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Format } from './formats.ts';
import { reasonOf } from './reason.ts';

/** The output files of a source under a name. */
export const outputPaths = (folder: string, name: string, formats: readonly Format[]): string[] =>
  formats.map((format) => join(folder, `${name}.${format}`));

export const allExist = (paths: readonly string[]): boolean => paths.every((path) => existsSync(path));

/** `time`: milliseconds since the epoch. */
export const allWrittenSince = (paths: readonly string[], time: number): boolean =>
  paths.every((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= time);

type Results = readonly (Uint8Array | null)[];

const NOTHING = new Uint8Array();

/** The outputs of one source. Unless they `replace`, a file that is there already and has another content is renamed: `talk.txt~`. */
export class Outputs {
  readonly #folder: string;
  readonly #formats: readonly Format[];
  readonly #replace: boolean;
  readonly #written = new Set<string>();
  #areOwn = false;

  constructor(folder: string, formats: readonly Format[], replace: boolean) {
    this.#folder = folder;
    this.#formats = formats;
    this.#replace = replace;
  }

  paths(name: string): string[] {
    return outputPaths(this.#folder, name, this.#formats);
  }

  /** Keeps the files of an earlier run: only missing ones are written. */
  keep(): void {
    this.#areOwn = true;
  }

  /** Whether another file has this name. `results`: `null` while they are not known. A Word document, which has its time in it, may be of an earlier run. */
  areTaken(name: string, results: Results | null): boolean {
    return this.paths(name).some((path, n) => {
      if (!results) return this.#isTaken(path, null);
      return !path.endsWith('.docx') && this.#isTaken(path, results[n] ?? NOTHING);
    });
  }

  #isTaken(path: string, content: Uint8Array | null): boolean {
    if (this.#replace || this.#areOwn || this.#written.has(path)) return false;
    const info = statSync(path, { throwIfNoEntry: false });
    return info !== undefined && !(content && info.isFile() && readFileSync(path).equals(content));
  }

  /** Resolves with the paths. Rejects with `OutputFailed`; may be repeated. */
  async write(name: string, results: Results): Promise<string[]> {
    const paths = this.paths(name);
    for (const [n, path] of paths.entries()) {
      if (this.#written.has(path) || (this.#areOwn && existsSync(path))) continue;
      const content = results[n] ?? NOTHING;
      try {
        if (this.#isTaken(path, content)) await rename(path, formerPath(path));
        await writeWhole(path, content);
      } catch (error) {
        throw new OutputFailed(`${path} cannot be written: ${reasonOf(error)}`);
      }
      this.#written.add(path);
    }
    return paths;
  }
}

/** `talk.txt~`, or the first of `talk.txt~2`, `talk.txt~3` ... that is free. */
const formerPath = (path: string): string => {
  let former = `${path}~`;
  for (let n = 2; existsSync(former); n += 1) former = `${path}~${n}`;
  return former;
};

/** An output cannot be written. The stream stays, so that nothing is lost. */
export class OutputFailed extends Error {}

/** Writes a file as a whole: a killed command leaves the old one, or none. Creates its folder. */
const writeWhole = async (path: string, content: Uint8Array): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  try {
    const file = await open(part, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};
