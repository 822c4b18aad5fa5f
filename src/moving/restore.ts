import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lockDataDirectory, RESTORING } from '../stores/embedded/dataDirectory.ts';
import { openEmbeddedDocuments } from '../stores/embedded/documents.ts';
import { loadMasterKey } from '../stores/keys/masterKey.ts';
import { holdObjectSweep } from '../stores/s3/usesObjectStorage.ts';
import { copyHashed, syncDirectory } from './hashedFile.ts';
import { inspectCopy } from './inspectCopy.ts';
import { type BackupFacts, type BackupFile, readManifest } from './manifest.ts';

export interface RestoreOptions {
  /** Directory of the backup. */
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
  /** `not checked` without a master key, or if verification was not requested. */
  readonly verdict: 'holds' | 'not checked';
  /** Whether a start would find a master key. */
  readonly hasMasterKey: boolean;
}

/** Files that may already be in the directory: the separately kept key, a lock that is not held, and entries of a file system's root. */
const WELCOME: readonly string[] = ['master.key', 'lock.db', 'lost+found'];

/**
 * Restores a backup into an empty data directory; `master.key` may already be there. Checks every file against the manifest. On failure rejects
 * with a message and leaves the directory as it was; a killed restore leaves a directory that refuses to start.
 */
export const restore = async (options: RestoreOptions): Promise<RestoreReport> => {
  const { directory, dataDir } = options;
  const present = existsSync(dataDir) ? await readdir(dataDir) : [];
  const unwelcome = present.filter((name) => !WELCOME.includes(name));
  if (unwelcome.length > 0)
    throw new Error(`${dataDir} is not empty (${unwelcome[0]}): restore into a new directory, or move what is there away.`);
  // Read the whole manifest before creating anything.
  const { facts, files } = await readManifest(directory);
  if (facts.withMasterKey && present.includes('master.key'))
    throw new Error(`The backup has a master.key, and so has ${dataDir}: move one of them away.`);
  const lock = await lockDataDirectory(dataDir);
  try {
    await writeFile(join(dataDir, RESTORING), '');
    await copyFiles(options, files);
    const checked = await check(options);
    await holdObjects(dataDir);
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
  // Rejects a key that does not open the vault, even without verification.
  const onVerified = (events: number) => onProgress(`verifying: ${events.toLocaleString('en')} events`);
  await inspectCopy({ directory: dataDir, masterKey, verify, newestSeal: null }, onVerified);
  return { verdict: verify ? 'holds' : 'not checked', hasMasterKey: true };
};

/** The bucket may have newer objects than the backup knows. */
const holdObjects = async (dataDir: string): Promise<void> => {
  const vault = await openEmbeddedDocuments({ file: join(dataDir, 'vault.db'), durability: 'FULL' });
  try {
    await holdObjectSweep(vault);
  } finally {
    await vault.close();
  }
};

/** Keep the lock file: it is held, and contains no data. */
const emptied = async (dataDir: string, present: readonly string[]): Promise<void> => {
  const kept = new Set([...present, 'lock.db', 'lock.pid']);
  for (const name of await readdir(dataDir)) if (!kept.has(name)) await rm(join(dataDir, name), { recursive: true, force: true });
};
