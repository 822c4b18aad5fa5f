import { type Clock, systemClock } from '../clock.ts';
import type { Move } from '../delivery/facts/carry.ts';
import { IMPORTS, type ImportsEvent, isImportsEvent } from '../domain/audit/imports.ts';
import type { Logger } from '../logger.ts';
import { type EventStore, type StoredEvent, StoreUnavailable, WrongExpectedRevision } from '../stores/eventStore.ts';
import { NO_SEAL_YET } from '../stores/integrity/sealEvidence.ts';
import { mayExpire, NEWEST_SEAL, SEALS } from '../stores/integrity/seals.ts';
import { verifyStore } from '../stores/integrity/verifyStore.ts';
import type { Keys } from '../stores/keys/openKeys.ts';
import { putVaultEntry, Vault } from '../stores/keys/vault.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { findBackwards } from '../stores/pages.ts';
import type { Stores } from '../stores/stores.ts';
import { retrying } from '../supervision/retrying.ts';
import { type Counts, type End, type ExportedDeliveries, type ExportedEvent, type Header, readExport } from './exportFile.ts';
import { importDeliveries, positionOf } from './importDeliveries.ts';
import { importTopics } from './importTopics.ts';

/** Time that topics are written with: the import sets it to each frame's time, so messages keep their times. */
export class ImportClock implements Clock {
  frameTime: number | null = null;
  readonly now = (): number => this.frameTime ?? systemClock.now();
  readonly monotonic = (): number => systemClock.monotonic();
  readonly pause = systemClock.pause;
}

export interface ImportDeps {
  readonly stores: Stores;
  /** The configuration that the stores were opened with. */
  readonly clock: ImportClock;
  readonly log: EventLog;
  readonly keys: Keys;
  readonly logger: Logger;
}

export interface ImportOptions {
  readonly file: string;
  /** `WEBHOOK_RETRY_WINDOW_MS`: pending deliveries are retried for this long. */
  readonly windowMilliseconds: number;
  readonly onProgress: (line: string) => void;
}

export interface ImportReport extends Counts {
  readonly exportId: string;
  /** Hash over all events here, from the verification. */
  readonly checked: number;
}

/** For this long an append is repeated while the store is unavailable. */
const REPEAT_MILLISECONDS = 20_000;
/** Bounds of one append: consecutive events of one event stream, by number and by characters, far below the store's limit. */
const TOGETHER = 100;
const WEIGHT = 400_000;

/**
 * Moves an export into empty stores, event by event in log order, below the codec: ids, revisions, times and hashes stay. An interrupted import
 * resumes when called again with the same file. At the end it verifies everything, then appends `LogImported` and each user's delivery state.
 * Nothing else may write to the stores meanwhile. Rejects with a message.
 */
export const importLog = async (deps: ImportDeps, options: ImportOptions): Promise<ImportReport> => {
  const leaving = new AbortController();
  const joined = deps.stores.nodes.join(['import'], leaving.signal);
  try {
    return await new Importing(deps, options).run();
  } finally {
    leaving.abort();
    await joined;
  }
};

class Importing {
  readonly #deps: ImportDeps;
  readonly #options: ImportOptions;
  readonly #store: EventStore;
  readonly #deliveries: ExportedDeliveries[] = [];
  readonly #batch: ExportedEvent[] = [];
  #weight = 0;
  #header: Header | null = null;
  /** The last event that is already here; `null` once it has been found in the file, or if the store is empty. */
  #resume: StoredEvent | null = null;
  #events = 0;

  constructor(deps: ImportDeps, options: ImportOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#store = deps.stores.store;
  }

  async run(): Promise<ImportReport> {
    this.#resume = await this.#lastImported();
    await this.#survey(this.#resume);
    const { counts, end } = await this.#readFile();
    const header = this.#header;
    if (!header) throw new Error('an export begins with its header');
    await this.#noteNewestSeal(header);
    const checked = await this.#verify();
    const move = await this.#recordMove(header, end);
    const { log, clock, logger } = this.#deps;
    for (const [n, one] of this.#deliveries.entries()) {
      await importDeliveries({ log, store: this.#store, clock, logger }, one, move);
      this.#options.onProgress(`deliveries of ${n + 1} of ${this.#deliveries.length} users`);
    }
    return { exportId: header.id, ...counts, checked };
  }

  /** Events left by an interrupted import of this export, without the facts that conclude an import. */
  #lastImported(): Promise<StoredEvent | null> {
    return findBackwards(this.#store, null, ({ eventStream, metadata }) => !mayExpire(eventStream) && metadata.actor !== ACTOR);
  }

  /** Reads the whole file before writing: checks that it is complete and that the events here came from it by an import. */
  async #survey(last: StoredEvent | null): Promise<void> {
    const { keys } = this.#deps;
    let [found, exportId] = [false, ''];
    for await (const line of readExport(this.#options.file)) {
      if ('header' in line) exportId = line.header.id;
      else if ('event' in line && last && isSame(line.event, last)) found = true;
    }
    const begun = (await keys.note(BEGUN))?.exportId === exportId;
    if (last && !(found && begun)) throw notOfThisExport(last);
    if (!last) await keys.setNote(BEGUN, { exportId });
  }

  async #readFile(): Promise<{ counts: Counts; end: End }> {
    const counts = { vault: 0, deliveries: 0 };
    let end: End | null = null;
    const topics = importTopics(this.#deps, this.#options.onProgress);
    const vault = new Vault(this.#deps.stores.vault, this.#deps.stores.masterKey);
    for await (const line of readExport(this.#options.file)) {
      if ('event' in line) await this.#event(line.event);
      else if ('topic' in line) await topics.begin(line.topic);
      else if ('frame' in line) await topics.frame(line.frame);
      else if ('header' in line) this.#header = line.header;
      else if ('vault' in line) {
        if (!vault.opens(line.vault.id, line.vault.body)) throw otherMasterKey();
        if (isCarried(line.vault.id))
          await putVaultEntry(this.#deps.stores.vault, line.vault.id, vault.renewed(line.vault.id, line.vault.body));
        counts.vault += 1;
      } else if ('deliveries' in line) this.#deliveries.push(line.deliveries);
      else end = line.end;
    }
    await topics.end();
    await this.#flush();
    if (!end) throw new Error('an export ends with its counts');
    counts.deliveries = this.#deliveries.length;
    return { counts: { ...counts, events: this.#events, topics: end.topics }, end };
  }

  async #event(event: ExportedEvent): Promise<void> {
    this.#events += 1;
    if (this.#events % 1_000 === 0) this.#options.onProgress(`${this.#events.toLocaleString('en')} events`);
    if (this.#resume) {
      if (isSame(event, this.#resume)) this.#resume = null;
      return;
    }
    if (this.#batch[0] && (this.#batch[0].eventStream !== event.eventStream || this.#isFull())) await this.#flush();
    this.#batch.push(event);
    this.#weight += JSON.stringify(event.data).length;
  }

  #isFull(): boolean {
    return this.#batch.length >= TOGETHER || this.#weight >= WEIGHT;
  }

  /** Appends are sequential, because the seals cover the order of the whole log. */
  async #flush(): Promise<void> {
    const batch = this.#batch.splice(0);
    this.#weight = 0;
    const [first] = batch;
    if (!first) return;
    const revision = BigInt(first.revision);
    const events = batch.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));
    const { clock } = this.#deps;
    const until = clock.monotonic() + REPEAT_MILLISECONDS;
    const append = () => this.#store.append(first.eventStream, revision === 0n ? 'no stream' : revision - 1n, events);
    const retryIf = (error: unknown) => error instanceof StoreUnavailable && clock.monotonic() < until;
    await retrying(append, { clock, retryIf }).catch((error: unknown) => {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      throw new Error(
        `${first.eventStream} is not where this import left it. Stop everything else that writes here, then begin again with empty stores.`,
      );
    });
  }

  /** A seal that the old vault noted but that is missing here is evidence of damage: the verification reports it. */
  async #noteNewestSeal({ newestSeal }: Header): Promise<void> {
    const [last] = await this.#store.readStream(SEALS, { direction: 'backwards', limit: 1 });
    const noted = typeof newestSeal?.revision === 'string' ? BigInt(newestSeal.revision) : -1n;
    if (newestSeal && noted > (last?.revision ?? -1n)) await this.#deps.keys.setNote(NEWEST_SEAL, newestSeal);
    else await this.#deps.keys.setNote(NEWEST_SEAL, last ? { revision: String(last.revision), seal: last.data } : NO_SEAL_YET);
    await this.#deps.keys.makeSealKey();
    await this.#deps.keys.noteSealKeys();
  }

  async #verify(): Promise<number> {
    const tell = (checked: number) => this.#options.onProgress(`verifying: ${checked.toLocaleString('en')} events`);
    const { firstBroken, checked } = await verifyStore({ store: this.#store, keys: this.#deps.keys }, tell);
    if (firstBroken === null) return checked;
    const { eventStream, revision, reason } = firstBroken;
    throw new Error(`What was imported does not verify: ${eventStream} revision ${revision}: ${reason}`);
  }

  /** Appends `LogImported`, once per export. */
  async #recordMove({ id: exportId }: Header, { deliveredThrough, topics }: End): Promise<Move> {
    const { log } = this.#deps;
    const { windowMilliseconds } = this.#options;
    const [last] = await log.readStream(IMPORTS, { direction: 'backwards', limit: 1 });
    if (last && isImportsEvent(last) && last.data.exportId === exportId)
      return { id: last.id, position: last.position, windowMilliseconds };
    const through = deliveredThrough && (await positionOf(this.#store, deliveredThrough));
    const event: ImportsEvent = { type: 'LogImported', data: { exportId, events: this.#events, topics, deliveredThrough: through } };
    const head = last ? { revision: last.revision, hash: last.metadata.hash } : { revision: 'no stream' as const, hash: null };
    const context = { subject: '', actor: ACTOR, correlationId: exportId, causationId: exportId, idempotencyKey: exportId };
    const { events, position } = await log.append(IMPORTS, head, [event], context);
    const [recorded] = events;
    if (!recorded) throw new Error('an append has events');
    return { id: recorded.id, position, windowMilliseconds };
  }
}

const ACTOR = 'import';
/** The vault's note of the export that is being imported here. */
const BEGUN = 'import begun';

const isSame = (event: ExportedEvent, { id, eventStream, revision }: StoredEvent): boolean =>
  event.id === id && event.eventStream === eventStream && event.revision === String(revision);

/** Imports the vault's keys. The key check belongs to each vault, and notes are written again. */
const isCarried = (id: string): boolean => ['signing/', 'subject/', 'eventStream/'].some((kind) => id.startsWith(kind));

const otherMasterKey = (): Error =>
  new Error('The export was made under another master key: set MASTER_KEY, or put master.key into DATA_DIR, as it was there.');

const notOfThisExport = ({ eventStream, revision }: StoredEvent): Error =>
  new Error(`There is something here that is not of this export (${eventStream} revision ${revision}): import into empty stores.`);
