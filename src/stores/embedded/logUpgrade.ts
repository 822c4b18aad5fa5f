import { closeSync, existsSync, openSync, readSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { syncPath } from '../syncPath.ts';
import { DataDirectoryRefused } from './dataDirectory.ts';
import { LOG_REMEDY, LOG_TABLES, LOG_VERSION, storeTopic, WRITER_PRAGMAS } from './logSchema.ts';
import { cannotOpen, pageSizeOf, prepareRows, versionOf } from './sqlite.ts';

/** `damaged`: topics whose bytes were lost before. They stay listed, and reading them gives an error. */
export interface LogUpgrade {
  readonly moved: number;
  readonly damaged: number;
  readonly all: number;
}

/** Size of one place in `log.extents`, the file in which versions up to 3 of the log kept some of the small topics. */
const EXTENT_BYTES = 72 * 1024;
/** Moved in one transaction, about 5 MB. */
const MOVED_TOGETHER = 64;
/** A moved topic takes at most this much of `log.db`: its bytes and `filler` in pages of 4 KiB, some of which are partly used. */
const ROW_BYTES = 84 * 1024;
/** Largest size of the write-ahead log before SQLite moves it into the file. */
const WAL_BYTES = 32 * 1024 * 1024;
/** Whatever SQLite writes besides the topics. */
const SPARE_BYTES = 1024 * 1024;

type Place = readonly [extent: number, topic: string, length: number, head: Uint8Array];

/**
 * Brings the log of an earlier version to this one, before anything else opens it: moves topics from `log.extents` into rows, then deletes that
 * file. Every transaction but the last one leaves a log that the earlier version could still open. So it may end at any point, and the next start
 * continues. Does nothing for a newer log, which the writer refuses. Rejects with `DataDirectoryRefused` if there is no room on the disk, or a file
 * cannot be used.
 */
export const upgradeLog = async (file: string, onProgress: (upgrade: LogUpgrade) => void = () => {}): Promise<void> => {
  if (!existsSync(file)) return;
  try {
    await upgradeFiles(file, `${file.replace(/\.db$/, '')}.extents`, onProgress);
  } catch (error) {
    if (error instanceof DataDirectoryRefused) throw error;
    throw new DataDirectoryRefused(cannotOpen(file, error, LOG_REMEDY).message, { cause: error });
  }
};

const upgradeFiles = async (file: string, extentFile: string, onProgress: (upgrade: LogUpgrade) => void): Promise<void> => {
  const log = new DatabaseSync(file);
  try {
    const version = versionOf(log);
    if (version === 0 || version > LOG_VERSION) return;
    if (version < LOG_VERSION) await upgrade(log, extentFile, onProgress);
  } finally {
    log.close();
  }
  if (!existsSync(extentFile)) return;
  rmSync(extentFile);
  syncPath(dirname(extentFile));
};

const upgrade = async (log: DatabaseSync, extentFile: string, onProgress: (upgrade: LogUpgrade) => void): Promise<void> => {
  const hasExtents = log.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'extents'").get();
  const all = hasExtents ? Number(log.prepare('SELECT count(*) AS topics FROM extents').get()?.topics) : 0;
  checkRoom(log, extentFile, all);
  log.exec(WRITER_PRAGMAS);
  if (all > 0) await moveTopics(log, extentFile, all, onProgress);
  log.exec(`BEGIN IMMEDIATE; DROP TABLE IF EXISTS extents; ${LOG_TABLES} PRAGMA user_version = ${LOG_VERSION}; COMMIT`);
};

const moveTopics = async (log: DatabaseSync, extentFile: string, all: number, onProgress: (upgrade: LogUpgrade) => void): Promise<void> => {
  const places = prepareRows(log, `SELECT extent, topic, length, head FROM extents ORDER BY extent LIMIT ${MOVED_TOGETHER}`);
  const [store, drop] = [log.prepare(storeTopic(pageSizeOf(log))), log.prepare('DELETE FROM extents WHERE extent = ?')];
  const extents = existsSync(extentFile) ? openSync(extentFile, 'r') : null;
  let [moved, damaged] = [0, 0];
  try {
    // STRICT tables guarantee the declared column types.
    for (let some = places.all() as Place[]; some.length > 0; some = places.all() as Place[]) {
      log.exec('BEGIN IMMEDIATE');
      for (const place of some) {
        const segment = extents === null ? null : readSegment(extents, place);
        if (!segment) damaged += 1;
        store.run(place[1], segment ?? LOST);
        drop.run(place[0]);
      }
      log.exec('COMMIT');
      moved += some.length;
      onProgress({ moved, damaged, all });
      await setImmediate();
    }
  } finally {
    if (extents !== null) closeSync(extents);
  }
};

/** Stands for lost bytes: no topic is empty. */
const LOST = Buffer.alloc(0);

/** `null` if other bytes are there. The first bytes of a segment are random, so a row has a copy of them. */
const readSegment = (extents: number, [extent, , length, head]: Place): Buffer | null => {
  const segment = Buffer.alloc(length);
  const found = readSync(extents, segment, 0, length, extent * EXTENT_BYTES);
  return found === length && segment.subarray(0, head.length).equals(head) ? segment : null;
};

const checkRoom = (log: DatabaseSync, extentFile: string, topics: number): void => {
  if (topics === 0) return;
  const freePages = Number(log.prepare('PRAGMA freelist_count').get()?.freelist_count);
  const bytes = topics * ROW_BYTES;
  const needed = Math.max(0, bytes - freePages * pageSizeOf(log)) + Math.min(bytes, WAL_BYTES) + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(dirname(extentFile));
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new DataDirectoryRefused(
    `The upgrade of ${dirname(extentFile)} needs ${mebibytes(needed)} on its disk, and ${mebibytes(free)} are free: it moves ${topics} small uploads and results into log.db before it deletes log.extents. Make room and start again, or start the earlier version.`,
  );
};

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`;
