import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lockDataDirectory, RESTORING } from '../stores/embedded/dataDirectory.ts';
import { loadMasterKey } from '../stores/keys/masterKey.ts';
import { copyHashed, syncDirectory } from './hashedFile.ts';
import { inspectCopy } from './inspectCopy.ts';
import { type BackupFacts, type BackupFile, readManifest } from './manifest.ts';

export interface RestoreOptions {
  /** Of the backup. */
  readonly directory: string;
  readonly dataDir: string;
  /** The setting `MASTER_KEY`. */
  readonly masterKey: string | undefined;
  readonly verify: boolean;
  readonly onProgress: (line: string) => void;
}

export interface RestoreReport extends BackupFacts {
  readonly dataDir: string;
  readonly files: number;
  /** `not checked` without a master key, or when it was not asked for. */
  readonly verdict: 'holds' | 'not checked';
  /** Whether a start would find a master key. */
  readonly hasMasterKey: boolean;
}

/** What may be there already: the key that is kept apart, a lock that nobody holds, and what a file system's own root has. */
const WELCOME: readonly string[] = ['master.key', 'lock.db', 'lost+found'];

/**
 * Puts a backup into an empty data directory; `master.key` may lie there already. Every file is checked against the manifest. Rejects with a
 * sentence, and leaves the directory as it was; a restore that was killed leaves one that refuses to start.
 */
export const restore = async (options: RestoreOptions): Promise<RestoreReport> => {
  const { directory, dataDir } = options;
  const present = existsSync(dataDir) ? await readdir(dataDir) : [];
  const unwelcome = present.filter((name) => !WELCOME.includes(name));
  if (unwelcome.length > 0)
    throw new Error(`${dataDir} is not empty (${unwelcome[0]}): restore into a new directory, or move what is there away.`);
  // All of it, before anything is made.
  const { facts, files } = await manifestOf(directory);
  if (facts.withMasterKey && present.includes('master.key'))
    throw new Error(`The backup has a master.key, and so has ${dataDir}: move one of them away.`);
  const lock = await lockDataDirectory(dataDir);
  try {
    await writeFile(join(dataDir, RESTORING), '');
    await copyFiles(options, files);
    const checked = await check(options);
    await rm(join(dataDir, RESTORING));
    await syncDirectory(dataDir);
    return { ...facts, dataDir, files: files.length, ...checked };
  } catch (error) {
    await emptied(dataDir, present);
    throw error;
  } finally {
    await lock.release();
  }
};

const manifestOf = async (directory: string): Promise<{ facts: BackupFacts; files: BackupFile[] }> => {
  const files: BackupFile[] = [];
  const reading = readManifest(directory);
  for (;;) {
    const { value, done } = await reading.next();
    if (done) return { facts: value, files };
    files.push(value);
  }
};

const copyFiles = async ({ directory, dataDir, onProgress }: RestoreOptions, files: readonly BackupFile[]): Promise<void> => {
  const folders = new Set([dataDir]);
  for (const [n, { path, bytes, sha256 }] of files.entries()) {
    const to = join(dataDir, path);
    const folder = dirname(to);
    if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
    folders.add(folder);
    const copied = await copyHashed(join(directory, path), to);
    if (copied.bytes !== bytes || copied.sha256 !== sha256)
      throw new Error(`${join(directory, path)} is not what was backed up: use another backup.`);
    if (n % 100 === 0) onProgress(`${n} of ${files.length} files`);
  }
  for (const folder of folders) await syncDirectory(folder);
};

const check = async ({
  dataDir,
  masterKey: setting,
  verify,
  onProgress,
}: RestoreOptions): Promise<Pick<RestoreReport, 'verdict' | 'hasMasterKey'>> => {
  if (setting === undefined && !existsSync(join(dataDir, 'master.key'))) return { verdict: 'not checked', hasMasterKey: false };
  const masterKey = loadMasterKey({ setting, dataDir, create: false });
  // Refuses a key that is not the vault's, whether it verifies or not.
  const onVerified = (events: number) => onProgress(`verifying: ${events.toLocaleString('en')} events`);
  await inspectCopy({ directory: dataDir, masterKey, verify, newestSeal: null }, onVerified);
  return { verdict: verify ? 'holds' : 'not checked', hasMasterKey: true };
};

/** The lock stays: it is held, and its file is nobody's data. */
const emptied = async (dataDir: string, present: readonly string[]): Promise<void> => {
  const kept = new Set([...present, 'lock.db', 'lock.pid']);
  for (const name of await readdir(dataDir)) if (!kept.has(name)) await rm(join(dataDir, name), { recursive: true, force: true });
};
