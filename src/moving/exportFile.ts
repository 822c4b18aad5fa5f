import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { type JsonObject, jsonObjectIn } from '../json.ts';
import type { Manifest } from '../stores/topics.ts';
import { syncDirectory } from './hashedFile.ts';

/**
 * An exported log as NDJSON: `{header}`, the vault's entries as stored (encrypted under the master key), the events as stored, the delivery state
 * of each user, topics (`{topic}`, then one base64 `{frame}` per line), and `{end}` with counts and the SHA-256 of all earlier lines.
 */
export const FORMAT = 1;

export interface Header {
  readonly tributary: 'export';
  readonly format: number;
  /** UUID by which an import recognises the export that it resumes. */
  readonly id: string;
  /** ISO 8601. */
  readonly made: string;
  /** The vault's note of the newest seal. */
  readonly newestSeal: JsonObject | null;
}

/** The parts of an event that do not depend on the store. */
export interface EventPlace {
  readonly eventStream: string;
  /** Decimal text. */
  readonly revision: string;
}

export interface ExportedEvent extends EventPlace {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

export interface ExportedPending {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number | null;
  /** Of a dynamic webhook. Its URL is personal; the import reads it from the stream's configuration. */
  readonly dynamicStreamId: string | null;
  readonly attempts: number;
  readonly renderer: number;
  readonly once: boolean;
  readonly sourceEventId: string;
  readonly source: EventPlace;
}

export interface ExportedDeliveries {
  readonly subject: string;
  /** The last event scheduled for the endpoint. */
  readonly last: EventPlace | null;
  readonly sequences: Record<string, number>;
  readonly failing: Record<string, string>;
  readonly pending: readonly ExportedPending[];
}

export interface Counts {
  readonly vault: number;
  readonly events: number;
  readonly deliveries: number;
  readonly topics: number;
}

export interface End extends Counts {
  /** The deliverer had scheduled all webhooks up to this position; `null` if unknown. */
  readonly deliveredThrough: EventPlace | null;
  readonly sha256: string;
}

export type Line =
  | { readonly header: Header }
  | { readonly vault: { readonly id: string; readonly body: JsonObject } }
  | { readonly event: ExportedEvent }
  | { readonly deliveries: ExportedDeliveries }
  | { readonly topic: { readonly topic: string; readonly manifest: Manifest } }
  /** `at`: milliseconds since the epoch. `data`: base64. */
  | { readonly frame: { readonly at: number; readonly data: string } }
  | { readonly end: End };

const WRITTEN_TOGETHER = 262_144;

/** Writes an export under a temporary name until it is complete. */
export class ExportWriter {
  readonly #file: string;
  readonly #hash: Hash = createHash('sha256');
  readonly #handle: FileHandle;
  #lines: string[] = [];
  #characters = 0;

  private constructor(file: string, handle: FileHandle) {
    this.#file = file;
    this.#handle = handle;
  }

  static async open(file: string): Promise<ExportWriter> {
    return new ExportWriter(file, await open(`${file}.part`, 'w', 0o600));
  }

  async write(line: Exclude<Line, { end: End }>): Promise<void> {
    const text = `${JSON.stringify(line)}\n`;
    this.#hash.update(text);
    this.#lines.push(text);
    this.#characters += text.length;
    if (this.#characters > WRITTEN_TOGETHER) await this.#flush();
  }

  async end(end: Omit<End, 'sha256'>): Promise<void> {
    this.#lines.push(`${JSON.stringify({ end: { ...end, sha256: this.#hash.digest('hex') } } satisfies Line)}\n`);
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    await rename(`${this.#file}.part`, this.#file);
    await syncDirectory(dirname(this.#file));
  }

  async giveUp(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(`${this.#file}.part`, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#lines.join('');
    this.#lines = [];
    this.#characters = 0;
    await this.#handle.appendFile(text);
  }
}

const damaged = (file: string, number: number): Error =>
  new Error(`${file}, line ${number}: it is damaged or was cut off. Make the export again.`);

/** Yields the lines and checks them against the end line. Lines yielded before a rejection must not be trusted. Holds one line in memory. */
export async function* readExport(file: string): AsyncGenerator<Line, void, undefined> {
  const hash = createHash('sha256');
  let number = 0;
  let ended = false;
  for await (const text of createInterface({ input: createReadStream(file, { highWaterMark: 1_048_576 }), crlfDelay: 0 })) {
    number += 1;
    const line = parsed(text, file, number);
    if (ended || (number === 1) !== 'header' in line) throw damaged(file, number);
    if ('header' in line) checkHeader(line.header, file);
    if ('end' in line) {
      ended = line.end.sha256 === hash.digest('hex');
      if (!ended) throw damaged(file, number);
    } else hash.update(`${text}\n`);
    yield line;
  }
  if (!ended) throw damaged(file, number);
}

const checkHeader = ({ tributary, format }: Header, file: string): void => {
  if (tributary !== 'export') throw new Error(`${file} is not an export. Make one with "tributary export".`);
  if (format > FORMAT)
    throw new Error(`${file} was written by a newer version of Tributary (format ${format}). Import it with that version.`);
};

const KINDS: readonly string[] = ['header', 'vault', 'event', 'deliveries', 'topic', 'frame', 'end'];

/** Safe cast: `ExportWriter` wrote the line, and the hash is checked at the end. Only its kind is checked here. */
const parsed = (text: string, file: string, number: number): Line => {
  const value = jsonObjectIn(text);
  if (value && KINDS.includes(Object.keys(value)[0] ?? '')) return value as Line;
  throw number === 1 ? new Error(`${file} is not an export. Make one with "tributary export".`) : damaged(file, number);
};
