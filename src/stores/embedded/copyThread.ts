/**
 * The thread that copies a store of the data directory while others write to it. The log is copied in small ranges, so that no read transaction
 * blocks its write-ahead log; documents are small and are copied in one step. The thread ends by itself.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { syncPath } from '../syncPath.ts';
import { LOG_TABLES, LOG_VERSION, PAGE_SIZE } from './logSchema.ts';

export interface CopyOrder {
  readonly what: 'log' | 'documents';
  readonly from: string;
  /** Created here with mode 0600; must not exist. */
  readonly to: string;
}

/** `share`: 0 to 1. */
export type FromCopier = { readonly share: number } | { readonly done: true };

/** Positions copied in one step, which takes some milliseconds. */
const WINDOW = 2_000;
/** How long a copier waits for a checkpoint of the writer to end. */
const PATIENCE_MILLISECONDS = 10_000;

/** Copies everything in the log at the start. Each statement is its own transaction: a common one would lock the source for writing. */
const copyLog = ({ from, to }: CopyOrder, tell: (share: number) => void): void => {
  const copy = new DatabaseSync(to, { timeout: PATIENCE_MILLISECONDS });
  copy.exec(`PRAGMA main.page_size = ${PAGE_SIZE}; PRAGMA main.journal_mode = MEMORY; PRAGMA main.synchronous = OFF;`);
  copy.exec(`${LOG_TABLES} PRAGMA main.user_version = ${LOG_VERSION};`);
  copy.prepare('ATTACH DATABASE ? AS source').run(from);
  const head = Number(copy.prepare('SELECT max(position) AS head FROM source.events').get()?.head);
  const rows = copy.prepare('INSERT INTO main.events SELECT * FROM source.events WHERE position > ? AND position <= ?');
  for (let after = 0; after < head; after += WINDOW) {
    rows.run(after, Math.min(after + WINDOW, head));
    tell(after / head);
  }
  copy.exec('INSERT INTO main.retention SELECT * FROM source.retention');
  // Events that expired during the copy left a gap; events before the gap expire too.
  copy.exec(`DELETE FROM main.events WHERE position IN (
    SELECT kept.position FROM main.retention JOIN main.events AS kept USING (event_stream)
    WHERE kept.revision < (SELECT min(revision) FROM source.events AS origin WHERE origin.event_stream = kept.event_stream))`);
  copy.close();
};

const copyDocuments = ({ from, to }: CopyOrder): void => {
  const source = new DatabaseSync(from, { timeout: PATIENCE_MILLISECONDS });
  source.prepare('VACUUM INTO ?').run(to);
  source.close();
};

if (parentPort) {
  const port = parentPort;
  // Passed by `copyStore`.
  const order = workerData as CopyOrder;
  closeSync(openSync(order.to, 'wx', 0o600));
  const tell = (share: number) => port.postMessage({ share } satisfies FromCopier);
  if (order.what === 'log') copyLog(order, tell);
  else copyDocuments(order);
  syncPath(order.to);
  port.postMessage({ done: true } satisfies FromCopier);
}
