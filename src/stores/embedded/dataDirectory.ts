import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncPath } from '../syncPath.ts';
import { sqliteCode } from './sqlite.ts';

/** Raise it when the files in the directory change so that an older Tributary must not open them. Each file is upgraded by its own version. */
const DIRECTORY_FORMAT = 2;
/** A file that exists while a backup is being restored into the directory. */
export const RESTORING = 'restoring';

/** The data directory, or a file in it, cannot be used. The message is a sentence for the operator that says what to do. */
export class DataDirectoryRefused extends Error {
  override name = 'DataDirectoryRefused';
}

/** Another process has it. */
class DataDirectoryInUse extends DataDirectoryRefused {
  override name = 'DataDirectoryInUse';
}

export interface DataDirectoryLock {
  /** Call it when every file has this version's form: from then on, earlier versions refuse the directory. Returns whether one of them wrote it. */
  upgraded(): boolean;
  release(): Promise<void>;
}

/**
 * Creates the directory if it is missing (mode 0700) and locks it for this process until `release` or the end of the process. Rejects with
 * `DataDirectoryRefused` if another process has it, a newer version wrote it, or it cannot be written.
 */
export const lockDataDirectory = async (dataDir: string): Promise<DataDirectoryLock> => {
  const directory = resolve(dataDir);
  makeDirectory(directory);
  const lock = takeLock(directory);
  try {
    checkFormat(directory);
    writeFileSync(join(directory, 'lock.pid'), `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw error instanceof DataDirectoryRefused ? error : cannotUse(directory, error);
  }
  let held = true;
  return {
    upgraded: () => writeFormat(directory),
    release: async () => {
      if (!held) return;
      held = false;
      rmSync(join(directory, 'lock.pid'), { force: true });
      lock.close();
    },
  };
};

const makeDirectory = (directory: string): void => {
  try {
    const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (made === undefined) return;
    // Sync the parents, so that a power cut cannot lose the new directory and acknowledged data in it.
    for (let child = directory; child !== dirname(made); child = dirname(child)) syncPath(dirname(child));
  } catch (error) {
    throw cannotUse(directory, error);
  }
};

/**
 * The kernel's file lock, through an open SQLite transaction: it ends with the process, so a kill leaves nothing behind. Nothing else in this
 * process may open and close `lock.db`: that would drop the lock (POSIX).
 */
const takeLock = (directory: string): DatabaseSync => {
  const file = join(directory, 'lock.db');
  let lock: DatabaseSync | undefined;
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
    lock = new DatabaseSync(file);
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (sqliteCode(error) !== 'SQLITE_BUSY') throw cannotUse(directory, error);
    throw new DataDirectoryInUse(
      `The data directory ${directory} is in use by another Tributary (${holder(directory)}). Stop that one first, or set DATA_DIR to another directory.`,
    );
  }
};

const holder = (directory: string): string => {
  try {
    return `process ${Number.parseInt(readFileSync(join(directory, 'lock.pid'), 'utf8'), 10)}`;
  } catch {
    return 'process unknown';
  }
};

const checkFormat = (directory: string): void => {
  if (existsSync(join(directory, RESTORING)))
    throw new DataDirectoryRefused(`A restore into ${directory} was interrupted. Empty the directory and restore again.`);
  const file = join(directory, 'format.json');
  if (!existsSync(file)) {
    writeFormat(directory);
    return;
  }
  const format = formatIn(file);
  if (format === null) throw new DataDirectoryRefused(`${file} cannot be read as JSON with a number "format". Restore it from a backup.`);
  if (format <= DIRECTORY_FORMAT) return;
  throw new DataDirectoryRefused(
    `The data directory ${directory} was written by a newer version of Tributary (format ${format}, this one knows ${DIRECTORY_FORMAT}). Start that version, or a newer one.`,
  );
};

/** Returns `false` if it is there already. */
const writeFormat = (directory: string): boolean => {
  const file = join(directory, 'format.json');
  if (existsSync(file) && formatIn(file) === DIRECTORY_FORMAT) return false;
  // Synced before it gets its name: a partial file would refuse the next start after a power cut.
  writeFileSync(`${file}.new`, `${JSON.stringify({ format: DIRECTORY_FORMAT })}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  syncPath(directory);
  return true;
};

const formatIn = (file: string): number | null => {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const format = typeof content === 'object' && content !== null && 'format' in content ? content.format : null;
    return typeof format === 'number' ? format : null;
  } catch {
    return null;
  }
};

const cannotUse = (directory: string, error: unknown): DataDirectoryRefused => {
  const reason = error instanceof Error ? error.message : String(error);
  return new DataDirectoryRefused(`The data directory ${directory} cannot be used: ${reason}.${ownerAdvice(directory, error)}`, {
    cause: error,
  });
};

/** Docker makes a missing directory that is mounted, and makes it as root. */
const ownerAdvice = (directory: string, error: unknown): string => {
  const denied = error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'SQLITE_CANTOPEN'].includes(String(error.code));
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  return denied
    ? ` This process runs as user ${user}. Give it the directory: chown -R ${user} ${directory} (of a container: the directory on the host).`
    : '';
};
