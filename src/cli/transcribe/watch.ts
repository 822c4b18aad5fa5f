import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import type { Clock } from '../../clock.ts';
import { retrying } from '../../supervision/retrying.ts';
import { toStdout as print } from '../runOperation.ts';
import type { Finished, Jobs } from './job.ts';
import { placeOf } from './names.ts';
import { reasonOf } from './reason.ts';
import type { Report } from './report.ts';
import type { TranscribeOptions } from './settings.ts';
import { recordingsIn, type Source } from './sources.ts';
import { WrongUse } from './wrongUse.ts';

export interface WatchDeps {
  readonly jobs: Jobs;
  readonly report: Report;
  readonly options: TranscribeOptions;
  readonly clock: Clock;
}

type FileSource = Source & { readonly kind: 'file' };

/** A file in a watched folder: waiting until it no longer changes, being transcribed, or over. */
interface Seen {
  /** Changes when the file does. */
  readonly signature: string;
  /** When it may be taken, by the monotonic clock. */
  readonly ready: number;
  readonly state: 'waiting' | 'running' | 'over';
  /** How often it failed. */
  readonly failures: number;
}

const LOOK_MILLISECONDS = 1_000;
/** A file that has not changed for this long is complete. */
const QUIET_MILLISECONDS = 2_000;
/** A file that failed is tried again after these pauses. */
const PAUSES_MILLISECONDS: readonly number[] = [10_000, 60_000];

/** Throws `WrongUse` for a word that is not a folder. */
export const watchedFolders = async (words: readonly string[]): Promise<string[]> => {
  for (const word of words)
    if (!(await stat(word).catch(() => null))?.isDirectory()) throw new WrongUse(`${word} is not a folder. --watch takes folders.`);
  return [...words];
};

/** Transcribes every recording that is or appears in the folders. Looks into them every second, which works on network folders too. Ends by its signal. */
export const watch = async (folders: readonly string[], deps: WatchDeps, signal: AbortSignal): Promise<never> => {
  const watching = new Watch(folders, deps, signal);
  try {
    deps.report.say(`Watching ${folders.join(', ')}. Ctrl-C stops.`);
    for (;;) {
      await watching.look();
      await deps.clock.pause(LOOK_MILLISECONDS, signal);
      signal.throwIfAborted();
    }
  } finally {
    await watching.ended();
    deps.report.end([]);
  }
};

class Watch {
  readonly #folders: readonly string[];
  readonly #deps: WatchDeps;
  readonly #signal: AbortSignal;
  readonly #without: readonly string[];
  readonly #files = new Map<string, Seen>();
  readonly #running = new Set<Promise<void>>();
  /** Why a folder could not be read, as last said. */
  readonly #away = new Map<string, string>();

  constructor(folders: readonly string[], deps: WatchDeps, signal: AbortSignal) {
    this.#folders = folders;
    this.#deps = deps;
    this.#signal = signal;
    const { done, failed } = deps.options;
    this.#without = [done, failed].flatMap((folder) => (folder === undefined ? [] : [resolve(folder)]));
  }

  async look(): Promise<void> {
    for (const folder of this.#folders) {
      const { found, isWhole } = await this.#recordingsIn(folder);
      for (const source of found) await this.#consider(source);
      if (isWhole) this.#forget(resolve(folder), new Set(found.map(({ path }) => path)));
    }
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** A sub-folder that cannot be read does not keep the others from being read. `isWhole`: all could be read. */
  async #recordingsIn(folder: string): Promise<{ readonly found: readonly FileSource[]; readonly isWhole: boolean }> {
    const reasons: string[] = [];
    const note = (error: unknown): void => void reasons.push(reasonOf(error));
    const found = await recordingsIn(folder, this.#without, note).catch((error: unknown) => {
      note(error);
      return [];
    });
    const reason = reasons.join(' ');
    if (reason !== '' && reason !== this.#away.get(folder)) this.#deps.report.say(`${folder} cannot be read now: ${reason}`);
    this.#away.set(folder, reason);
    return { found, isWhole: reasons.length === 0 };
  }

  async #consider(source: FileSource): Promise<void> {
    const info = await stat(source.path).catch(() => null);
    const seen = this.#files.get(source.path);
    if (info === null || info.size === 0 || seen?.state === 'running') return;
    const now = this.#deps.clock.monotonic();
    const signature = `${info.ino} ${info.size} ${info.mtimeMs}`;
    if (seen?.signature !== signature)
      this.#files.set(source.path, { signature, ready: now + QUIET_MILLISECONDS, state: 'waiting', failures: 0 });
    else if (seen.state === 'waiting' && seen.ready <= now && this.#running.size < this.#deps.options.jobs)
      this.#start(source, seen, info.size);
  }

  /** Files that have gone. Another one of the same name is a new one. */
  #forget(folder: string, found: ReadonlySet<string>): void {
    for (const [path, { state }] of this.#files) {
      if (state === 'running' || found.has(path) || !path.startsWith(join(folder, '/'))) continue;
      this.#drop(path);
    }
  }

  #drop(path: string): void {
    this.#files.delete(path);
    this.#deps.jobs.release(path);
  }

  #start(source: FileSource, seen: Seen, bytes: number): void {
    this.#files.set(source.path, { ...seen, state: 'running' });
    // Only the signal makes it reject.
    const run = this.#transcribe(source, seen, bytes).catch(() => undefined);
    this.#running.add(run);
    void run.then(() => this.#running.delete(run));
  }

  async #transcribe(source: FileSource, seen: Seen, bytes: number): Promise<void> {
    const { jobs, report, options, clock } = this.#deps;
    const fileReport = report.begin(source.shown, bytes);
    const place = placeOf(source, options.output ?? null);
    const onSent = (sent: number, total: number | null) => fileReport.sent(sent, total);
    const onWaiting = (reason: string) => fileReport.waiting(reason);
    const { result: _, changed, ...finished } = await jobs.run({ source, place, onSent, onWaiting }, this.#signal);
    const outcome = { file: source.shown, ...finished };
    const pause = changed ? QUIET_MILLISECONDS : finished.status === 'failed' ? PAUSES_MILLISECONDS[seen.failures] : undefined;
    if (pause !== undefined) {
      const reason = changed ? 'It changed while it was sent.' : finished.error;
      fileReport.waiting(`${reason} Trying again in ${pause / 1_000} s.`);
      fileReport.drop();
      const failures = changed ? 0 : seen.failures + 1;
      this.#files.set(source.path, { ...seen, ready: clock.monotonic() + pause, state: 'waiting', failures });
      return;
    }
    const moved = await this.#moved(source, finished);
    // Another file may have come under the name already.
    if (moved) this.#drop(source.path);
    else this.#files.set(source.path, { ...seen, state: 'over' });
    fileReport.end(outcome);
    if (options.json) await print(`${JSON.stringify(outcome)}\n`);
  }

  /** Moves the file where the options say. Tries until it works: meanwhile the file is where it was. */
  async #moved(source: FileSource, { status }: Pick<Finished, 'status'>): Promise<boolean> {
    const { options, clock, report } = this.#deps;
    const folder = status === 'failed' ? options.failed : options.done;
    if (folder === undefined) return false;
    const move = () => moveFile(source.path, resolve(folder, source.below));
    const onFailure = (error: unknown) => report.say(`${source.shown} cannot be moved now: ${reasonOf(error)}`);
    await retrying(move, { clock, signal: this.#signal, onFailure, retryIf: (error) => !isCode(error, 'ENOENT') });
    return true;
  }
}

/** Moves a file into a folder, under the first free name: `talk.mp3`, `talk.2.mp3` ... */
const moveFile = async (path: string, folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const { name, ext, base } = parse(path);
  for (let n = 1; ; n++) {
    const target = join(folder, n === 1 ? base : `${name}.${n}${ext}`);
    if (await stat(target).catch(() => null)) continue;
    await rename(path, target).catch(async (error: unknown) => {
      // Another file system.
      if (!isCode(error, 'EXDEV')) throw error;
      await copyWhole(path, target);
      await rm(path);
    });
    return;
  }
};

const copyWhole = async (path: string, target: string): Promise<void> => {
  const part = join(dirname(target), `.${parse(target).base}.part`);
  await copyFile(path, part, constants.COPYFILE_FICLONE);
  await rename(part, target);
};

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
