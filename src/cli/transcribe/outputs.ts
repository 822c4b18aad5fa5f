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

/** The outputs of one source. A file that is there already and has another content is replaced only with `replace`. */
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

  /** What is there was written by an earlier run: it stays, and only missing files are written. */
  keep(): void {
    this.#areOwn = true;
  }

  /** A file that would have to be replaced. `results`: `null` while they are not known. */
  inTheWay(name: string, results: Results | null): string | undefined {
    if (this.#replace || this.#areOwn) return undefined;
    return this.paths(name).find((path, n) => {
      const info = statSync(path, { throwIfNoEntry: false });
      if (!info || this.#written.has(path)) return false;
      if (!results || !info.isFile()) return true;
      // A Word document has the time at which it was made: what is there was written before the command was killed.
      return !path.endsWith('.docx') && !readFileSync(path).equals(results[n] ?? new Uint8Array());
    });
  }

  /** Resolves with the paths. Rejects with `OutputFailed`; may be repeated. */
  async write(name: string, results: Results): Promise<string[]> {
    const paths = this.paths(name);
    for (const [n, path] of paths.entries()) {
      if (this.#replace ? this.#written.has(path) : existsSync(path)) continue;
      try {
        await writeWhole(path, results[n] ?? new Uint8Array());
      } catch (error) {
        throw new OutputFailed(`${path} cannot be written: ${reasonOf(error)}`);
      }
      this.#written.add(path);
    }
    return paths;
  }
}

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
