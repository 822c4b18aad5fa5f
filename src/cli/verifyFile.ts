import { createPublicKey, type KeyObject } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Clock } from '../clock.ts';
import { isJsonObject, jsonObjectIn } from '../json.ts';
import type { Position, StoredEvent } from '../stores/eventStore.ts';
import { type ChainLink, linkOf } from '../stores/integrity/chainLink.ts';
import { type PublicKeys, SEALS } from '../stores/integrity/seals.ts';
import { type Verdict, verifyLog } from '../stores/integrity/verification.ts';
import type { Say } from './controlSocket.ts';
import { Progress } from './progress.ts';

export interface ExportedLog {
  /** NDJSON of all events as stored, oldest first, from `tributary audit export`. */
  readonly file: string;
  /** Output of `tributary audit seals`; `null`: the seals in the log itself. */
  readonly seals: string | null;
  /** PEM. `null`: the keys in the file of seals. */
  readonly key: string | null;
}

const PAGE = 500;

/** Verifies an exported log from files alone. Rejects with a message if a file is malformed. */
export const verifyFile = async ({ file, seals, key }: ExportedLog, clock: Clock, say: Pick<Say, 'progress'>): Promise<Verdict> => {
  const keys = await (key === null ? carriedKeys(seals ?? file) : givenKey(key, seals ?? file));
  const progress = new Progress(clock, say);
  const { size } = statSync(file);
  let read = 0;
  const onRead = (bytes: number): void => {
    read = bytes;
  };
  // The size of a pipe is unknown.
  let share = size > 0 ? 0 : null;
  const verdict = await verifyLog(pages(file, onRead), {
    seals: sealsIn(seals ?? file),
    keys,
    noted: null,
    onProgress: (checked) => {
      if (share !== null) share = Math.min(1, read / size);
      progress.tell(checked, share);
    },
  });
  progress.end(verdict.checked, verdict.ok ? 1 : share);
  return verdict;
};

/** Calls `onRead` with the number of bytes read, a little ahead of the records. */
async function* records(file: string, onRead?: (bytes: number) => void): AsyncGenerator<Record<string, unknown>, void, undefined> {
  let number = 0;
  const input = createReadStream(file);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    onRead?.(input.bytesRead);
    if (line.trim() === '') continue;
    yield parsed(line, file, number);
  }
}

const parsed = (line: string, file: string, number: number): Record<string, unknown> => {
  const value = jsonObjectIn(line);
  if (value) return value;
  throw new Error(`${file}, line ${number}: not a JSON object`);
};

/** An event of an export. A member of the wrong type is a finding, not a malformed file. */
const eventOf = (record: Record<string, unknown>, file: string): StoredEvent => {
  const { id, eventStream, type, revision, position, data, metadata } = record;
  if (typeof eventStream !== 'string' || typeof revision !== 'string' || !/^\d{1,18}$/.test(revision))
    throw new Error(`${file} is not an exported log. Make one with "tributary audit export"`);
  return {
    id: String(id),
    eventStream,
    type: String(type),
    revision: BigInt(revision),
    // As stored; only shown.
    position: String(position ?? '') as Position,
    data: isJsonObject(data) ? data : {},
    metadata: isJsonObject(metadata) ? metadata : {},
  };
};

async function* pages(file: string, onRead: (bytes: number) => void): AsyncGenerator<readonly ChainLink[], void, undefined> {
  let page: ChainLink[] = [];
  for await (const record of records(file, onRead)) {
    page.push(linkOf(eventOf(record, file)));
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function* sealsIn(file: string): AsyncGenerator<StoredEvent, void, undefined> {
  for await (const record of records(file)) if (record.eventStream === SEALS) yield eventOf(record, file);
}

/** The lines before the first seal. */
const carriedKeys = async (file: string): Promise<PublicKeys> => {
  const keys = new Map<string, KeyObject>();
  for await (const { keyId, publicKey } of records(file)) {
    if (typeof publicKey !== 'string') break;
    keys.set(String(keyId), publicKeyOf(publicKey, file));
  }
  if (keys.size === 0) throw new Error(`${file} contains no key. Make it with "tributary audit seals", or pass --key <file>`);
  return keys;
};

/** Seals are signed with ECDSA. */
const publicKeyOf = (pem: string, file: string): KeyObject => {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ec') return key;
  } catch {
    // Reported below.
  }
  throw new Error(`${file} contains no public seal key (ECDSA, PEM). Use the publicKey in the first line of "tributary audit seals"`);
};

/** One key for all seals: seals that it did not sign fail. */
const givenKey = async (keyFile: string, sealsFile: string): Promise<PublicKeys> => {
  const key = publicKeyOf(readFileSync(keyFile, 'utf8'), keyFile);
  const keys = new Map<string, KeyObject>();
  for await (const { data } of sealsIn(sealsFile)) if (typeof data.keyId === 'string') keys.set(data.keyId, key);
  return keys;
};
