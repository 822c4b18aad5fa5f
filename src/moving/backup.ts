import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Clock, isoTime } from '../clock.ts';
import { copyStore } from '../stores/embedded/copyStore.ts';
import { LogReader } from '../stores/embedded/logReader.ts';
import { readManifest as readTopicManifest } from '../stores/embedded/segment.ts';
import type { EventStore } from '../stores/eventStore.ts';
import { SEALS } from '../stores/integrity/seals.ts';
import { pointerId } from '../stores/s3/pointer.ts';
import { TopicDamaged } from '../stores/topics.ts';
import { copyHashed, sumOf, syncDirectory, writeHashed } from './hashedFile.ts';
import { inspectCopy } from './inspectCopy.ts';
import { type BackupFile, writeManifest } from './manifest.ts';

export interface BackupDeps {
  readonly dataDir: string;
  /** The open store to back up. */
  readonly store: Pick<EventStore, 'readStream'>;
  readonly masterKey: Buffer;
  readonly clock: Clock;
}

export interface BackupOptions {
  /** Absolute path. Created if missing; must be empty otherwise. */
  readonly directory: string;
  readonly withMasterKey: boolean;
  readonly verify: boolean;
  readonly onProgress: (line: string) => void;
}

export interface BackupReport {
  readonly directory: string;
  /** Position in the log up to which it goes. */
  readonly position: string | null;
  readonly topics: number;
  /** Topics among them whose bytes lie in object storage: the backup says where. */
  readonly objects: number;
  /** Topics that are not in the backup, because their bytes are damaged. */
  readonly damagedTopics: number;
  readonly bytes: number;
  readonly verified: boolean;
  readonly withMasterKey: boolean;
}

const COPIED_TOGETHER = 4;

/**
 * A consistent copy of the data directory while it is in use. Contains everything acknowledged before the call. Copies the log first, then the vault
 * (its keys are always older than the events that need them), then the bytes of the streams in the copied log. Leaves out read models, which are
 * rebuilt. On failure rejects with a message and leaves nothing; a killed backup has no manifest.
 */
export const backup = async (deps: BackupDeps, options: BackupOptions): Promise<BackupReport> => {
  const { directory } = options;
  await prepareDirectory(directory, deps.dataDir);
  try {
    return await copyAll(deps, options);
  } catch (error) {
    // The directory existed and was empty.
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
    throw error;
  }
};

const copyAll = async (deps: BackupDeps, options: BackupOptions): Promise<BackupReport> => {
  const { directory, onProgress } = options;
  const { dataDir } = deps;
  const at = (name: string) => join(directory, name);
  await copyStore({ what: 'log', from: join(dataDir, 'log.db'), to: at('log.db') }, (share) =>
    onProgress(`log: ${Math.round(share * 100)} %`),
  );
  await copyStore({ what: 'documents', from: join(dataDir, 'vault.db'), to: at('vault.db') });
  const [newest] = await deps.store.readStream(SEALS, { direction: 'backwards', limit: 1 });
  const { position, topics } = await inspectCopy(
    { directory, masterKey: deps.masterKey, verify: options.verify, newestSeal: newest ? String(newest.revision) : null },
    (events) => onProgress(`verifying: ${events.toLocaleString('en')} events`),
  );
  const files: BackupFile[] = [];
  // Closed by now: see `sumOf`.
  for (const path of ['log.db', 'vault.db']) files.push({ path, ...(await sumOf(at(path))) });
  const keyText = Buffer.from(`${deps.masterKey.toString('base64')}\n`);
  if (options.withMasterKey) files.push({ path: 'master.key', ...(await writeHashed(keyText, at('master.key'))) });
  const copied = await copyTopics(dataDir, directory, topics, onProgress);
  files.push(...copied.files);
  const { verify: verified, withMasterKey } = options;
  await writeManifest(directory, { made: isoTime(deps.clock.now()), position, withMasterKey, verified }, files);
  await syncDirectory(directory);
  await syncDirectory(dirname(directory));
  return {
    directory,
    position,
    topics: copied.files.length,
    objects: copied.objects,
    damagedTopics: copied.damaged,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    verified,
    withMasterKey,
  };
};

const prepareDirectory = async (directory: string, dataDir: string): Promise<void> => {
  const here = await realpath(dataDir);
  const refuseWithin = (path: string) => {
    const within = relative(here, path);
    if (within !== '..' && !within.startsWith('../')) throw new Error(`${directory} lies in the data directory: name one elsewhere.`);
  };
  // Checked before the directory is created, and again in case a link leads there.
  refuseWithin(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  refuseWithin(await realpath(directory));
  if ((await readdir(directory)).length > 0) throw new Error(`${directory} is not empty: name a new directory for each backup.`);
};

/** Copies topics as files, also those stored beside the events. Only sealed topics: open ones belong to uploads and runs that are not acknowledged. For a topic in object storage, copies the pointer. A topic that is gone has expired since. */
const copyTopics = async (
  dataDir: string,
  directory: string,
  topics: readonly string[],
  onProgress: (line: string) => void,
): Promise<{ files: readonly BackupFile[]; objects: number; damaged: number }> => {
  const files: BackupFile[] = [];
  let objects = 0;
  let damaged = 0;
  const log = new LogReader(join(dataDir, 'log.db'));
  const made = new Map<string, Promise<unknown>>();
  const rowOf = (topic: string): Buffer | null => {
    try {
      return log.topic(topic);
    } catch (error) {
      if (!(error instanceof TopicDamaged)) throw error;
      damaged += 1;
      return null;
    }
  };
  const copyOne = async (topic: string): Promise<boolean> => {
    const path = `topics/${topic.slice(0, 2)}/${topic}`;
    const from = join(dataDir, path);
    const isFile = (await readTopicManifest(from)) !== null;
    const row = isFile ? null : rowOf(topic);
    if (!isFile && !row) return false;
    const folder = dirname(join(directory, path));
    const making = made.get(folder) ?? mkdir(folder, { recursive: true, mode: 0o700 });
    made.set(folder, making);
    await making;
    try {
      const to = join(directory, path);
      files.push({ path, ...(row ? await writeHashed(row, to) : await copyHashed(from, to)) });
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    }
  };
  const waiting = topics.values();
  const worker = async (): Promise<void> => {
    for (const topic of waiting) {
      // It may move between the two.
      if (!(await copyOne(topic)) && (await copyOne(pointerId(topic)))) objects += 1;
      if (files.length % 100 === 0) onProgress(`bytes of streams: ${files.length} of ${topics.length} topics`);
    }
  };
  try {
    await Promise.all(Array.from({ length: COPIED_TOGETHER }, worker));
  } finally {
    log.close();
  }
  for (const folder of made.keys()) await syncDirectory(folder);
  return { files, objects, damaged };
};
