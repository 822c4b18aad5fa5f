import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../json.ts';
import type { FileSum } from './hashedFile.ts';

/**
 * What a backup holds: `manifest.ndjson`, written last. A line of facts, a line a file (`{path, bytes, sha256}`), and a line that ends it, with
 * the SHA-256 of all lines before. A backup without it, or without its end, was cut off.
 */
const MANIFEST = 'manifest.ndjson';
const FORMAT = 1;

export interface BackupFacts {
  /** ISO 8601. */
  readonly made: string;
  /** Of the log's last event; `null` for an empty log. */
  readonly position: string | null;
  readonly withMasterKey: boolean;
  /** Whether chains and seals of the copy were checked. */
  readonly verified: boolean;
}

export interface BackupFile extends FileSum {
  /** In the backup, and in the data directory. */
  readonly path: string;
}

/** Nothing else is ever written into a data directory, whatever a manifest says. */
const PATH = /^(log\.db|vault\.db|master\.key|topics\/[0-9a-f]{2}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export const writeManifest = async (
  directory: string,
  facts: BackupFacts,
  files: Iterable<BackupFile> | AsyncIterable<BackupFile>,
): Promise<void> => {
  const hash = createHash('sha256');
  const handle = await open(join(directory, MANIFEST), 'wx', 0o600);
  try {
    const write = async (line: object) => {
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      await handle.appendFile(text);
    };
    await write({ tributary: 'backup', format: FORMAT, ...facts });
    let count = 0;
    for await (const file of files) {
      await write(file);
      count += 1;
    }
    await handle.appendFile(`${JSON.stringify({ files: count, sha256: hash.digest('hex') })}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** The facts and, one by one, the files. Rejects with a sentence on what is no whole manifest; what was given before is then not to be believed. */
export async function* readManifest(directory: string): AsyncGenerator<BackupFile, BackupFacts, undefined> {
  const file = join(directory, MANIFEST);
  const hash = createHash('sha256');
  let facts: BackupFacts | null = null;
  let count = 0;
  let ended = false;
  for await (const line of linesOf(file)) {
    const record = recordOf(line, file);
    if (ended) throw damaged(file);
    if (!facts) facts = factsOf(record, file);
    else if ('files' in record) {
      ended = record.files === count && record.sha256 === hash.digest('hex');
      if (!ended) throw damaged(file);
      continue;
    } else {
      yield fileOf(record, file);
      count += 1;
    }
    hash.update(`${line}\n`);
  }
  if (!facts || !ended) throw damaged(file);
  return facts;
}

async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  try {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw new Error(`${file} cannot be read: is this a whole backup? Its manifest is written last.`, { cause });
  }
}

const damaged = (file: string): Error => new Error(`${file} is damaged or was cut off: use another backup.`);

const recordOf = (line: string, file: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Said below.
  }
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
