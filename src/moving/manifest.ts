import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type JsonObject, jsonObjectIn } from '../json.ts';
import type { FileSum } from './hashedFile.ts';

/**
 * Contents of a backup: `manifest.ndjson`, written last. One line of facts, one line per file (`{path, bytes, sha256}`), and an end line with the
 * SHA-256 of all earlier lines. A backup without the manifest, or without its end line, is incomplete.
 */
const MANIFEST = 'manifest.ndjson';
const FORMAT = 1;

export interface BackupFacts {
  /** ISO 8601. */
  readonly made: string;
  /** Position of the log's last event; `null` for an empty log. */
  readonly position: string | null;
  readonly withMasterKey: boolean;
  /** Whether the hash chains and seals of the copy were verified. */
  readonly verified: boolean;
}

export interface BackupFile extends FileSum {
  /** Path in the backup and in the data directory. */
  readonly path: string;
}

/** The only files that a restore writes, whatever the manifest lists. */
const PATH = /^(log\.db|vault\.db|master\.key|topics\/[0-9a-f]{2}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export const writeManifest = async (directory: string, facts: BackupFacts, files: readonly BackupFile[]): Promise<void> => {
  const hash = createHash('sha256');
  const handle = await open(join(directory, MANIFEST), 'wx', 0o600);
  try {
    const write = async (line: object) => {
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      await handle.appendFile(text);
    };
    await write({ tributary: 'backup', format: FORMAT, ...facts });
    for (const file of files) await write(file);
    await handle.appendFile(`${JSON.stringify({ files: files.length, sha256: hash.digest('hex') })}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Rejects with a message for an incomplete manifest. */
export const readManifest = async (directory: string): Promise<{ facts: BackupFacts; files: BackupFile[] }> => {
  const file = join(directory, MANIFEST);
  const hash = createHash('sha256');
  const files: BackupFile[] = [];
  let facts: BackupFacts | null = null;
  let ended = false;
  for await (const line of linesOf(file)) {
    const record = recordOf(line, file);
    if (ended) throw damaged(file);
    if (!facts) facts = factsOf(record, file);
    else if ('files' in record) {
      ended = record.files === files.length && record.sha256 === hash.digest('hex');
      if (!ended) throw damaged(file);
      continue;
    } else files.push(fileOf(record, file));
    hash.update(`${line}\n`);
  }
  if (!facts || !ended) throw damaged(file);
  return { facts, files };
};

async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  try {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw new Error(`${file} cannot be read: is this a whole backup? Its manifest is written last.`, { cause });
  }
}

const damaged = (file: string): Error => new Error(`${file} is damaged or was cut off: use another backup.`);

const recordOf = (line: string, file: string): JsonObject => {
  const value = jsonObjectIn(line);
  if (value) return value;
  throw damaged(file);
};

const factsOf = ({ tributary, format, made, position, withMasterKey, verified }: JsonObject, file: string): BackupFacts => {
  if (tributary !== 'backup' || typeof format !== 'number') throw damaged(file);
  if (format > FORMAT)
    throw new Error(`${file} was written by a newer version of Tributary (format ${format}). Restore with that version.`);
  return {
    made: String(made),
    position: typeof position === 'string' ? position : null,
    withMasterKey: withMasterKey === true,
    verified: verified === true,
  };
};

const fileOf = ({ path, bytes, sha256 }: JsonObject, file: string): BackupFile => {
  if (typeof path !== 'string' || !PATH.test(path) || typeof bytes !== 'number' || typeof sha256 !== 'string') throw damaged(file);
  return { path, bytes, sha256 };
};
