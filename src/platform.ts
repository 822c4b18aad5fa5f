import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import { AuditTrail } from './commands/auditTrail.ts';
import type { PersonalPlace } from './commands/eraseSubject.ts';
import { type Expiries, openExpiries } from './commands/expiries.ts';
import { openSlots, type Slots } from './commands/slots.ts';
import { BadSetting, type Config } from './config.ts';
import { eraseExcerpts } from './delivery/excerpts.ts';
import { EVENT_SCHEMAS } from './domain/eventSchemas.ts';
import { parsePriceList, SHIPPED_PRICE_LIST } from './domain/priceList.ts';
import type { PriceList } from './domain/pricing.ts';
import type { Logger } from './logger.ts';
import { allProjections } from './projections/all.ts';
import { openProjectionEngine } from './projections/engine/openProjectionEngine.ts';
import type { ProjectionEngine } from './projections/engine/projectionEngine.ts';
import { openReadModels } from './projections/openReadModels.ts';
import type { ReadModels } from './projections/readModels.ts';
import type { DiskSpace } from './stores/diskSpace.ts';
import type { Documents } from './stores/documents.ts';
import { lockDataDirectory } from './stores/embedded/dataDirectory.ts';
import { DataDisk } from './stores/embedded/dataDisk.ts';
import { openEmbeddedDocuments } from './stores/embedded/documents.ts';
import { openEmbeddedEventStore } from './stores/embedded/eventStore.ts';
import { openEmbeddedTopics } from './stores/embedded/topics.ts';
import type { EventLog } from './stores/eventLog.ts';
import type { EventStore } from './stores/eventStore.ts';
import type { Keys } from './stores/keys.ts';
import type { Leases } from './stores/leases.ts';
import { type LiveReaders, openLiveReaders } from './stores/liveReaders.ts';
import { loadMasterKey } from './stores/masterKey.ts';
import { openEventLog } from './stores/openEventLog.ts';
import { openKeys } from './stores/openKeys.ts';
import { openLeases } from './stores/openLeases.ts';
import type { Topics } from './stores/topics.ts';

/** Everything that stands on the stores and does nothing by itself: what the server and the command line work with. */
export interface Platform {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: EventStore;
  readonly log: EventLog;
  readonly views: Documents;
  readonly topics: Topics;
  /** Where uploaded bytes go. */
  readonly disk: DiskSpace;
  readonly keys: Keys;
  readonly leases: Leases;
  readonly engine: ProjectionEngine;
  readonly readModels: ReadModels;
  readonly slots: Slots;
  readonly expiries: Expiries;
  readonly liveReaders: LiveReaders;
  readonly priceList: PriceList;
  readonly trail: AuditTrail;
  /** What must forget a person that is erased. */
  readonly personalPlaces: readonly PersonalPlace[];
  /** Closes the stores and frees the data directory. Stop what runs on them first. */
  close(): Promise<void>;
}

export interface PlatformDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

const vaultFile = (dataDir: string): string => join(dataDir, 'vault.db');

/** Whether a platform has ever run on a data directory: the vault is there whatever the other stores are. */
export const holdsData = (dataDir: string): boolean => existsSync(vaultFile(dataDir));

/** Opens the stores that the settings name. Rejects with a sentence when the data directory is in use or newer than this program. */
export const openPlatform = async (config: Config, { clock, logger }: PlatformDeps): Promise<Platform> => {
  if (config.eventstoreUrl !== null)
    throw new BadSetting('EVENTSTORE_URL', 'this version runs on the embedded stores only; leave it unset');
  const priceList = readPriceList(config);
  const closing = new ClosingOrder();
  try {
    const lock = await lockDataDirectory(config.dataDir);
    closing.add(() => lock.release());
    const masterKey = loadMasterKey({ setting: config.masterKey ?? undefined, dataDir: config.dataDir, create: true });
    const [store, views, vault, topics] = await Promise.all([
      openEmbeddedEventStore({ dataDir: config.dataDir, clock }),
      openEmbeddedDocuments({ file: join(config.dataDir, 'views.db'), durability: 'NORMAL' }),
      openEmbeddedDocuments({ file: vaultFile(config.dataDir), durability: 'FULL' }),
      openEmbeddedTopics({ directory: join(config.dataDir, 'topics'), clock }),
    ]);
    for (const opened of [topics, vault, views, store]) closing.add(() => opened.close());
    const keys = await openKeys({ vault, masterKey, clock });
    const leases = await openLeases({ documents: views, clock, holder: `pid ${process.pid}`, exclusive: true, logger });
    closing.add(() => leases.close());
    const log = openEventLog({ store, keys, schemas: EVENT_SCHEMAS, clock });
    const engine = await openProjectionEngine({ log, documents: views, leases, clock, logger, projections: allProjections });
    const readModels = openReadModels({ log, documents: views, engine });
    const slots = openSlots({ documents: views, limit: config.maxConcurrentStreams });
    const expiries = await openExpiries(views);
    const liveReaders = await openLiveReaders({ documents: views, clock, exclusive: true });
    return {
      config,
      clock,
      logger,
      store,
      log,
      views,
      topics,
      disk: new DataDisk({ dataDir: config.dataDir, watermark: config.diskWatermarkBytes, clock }),
      keys,
      leases,
      engine,
      readModels,
      slots,
      expiries,
      liveReaders,
      priceList,
      trail: new AuditTrail(log),
      personalPlaces: [
        { count: async () => 0, erased: (subject) => eraseExcerpts({ topics, documents: views }, subject) },
        { count: (subject) => engine.countPersonal(subject), erased: (_, position) => engine.erased(position) },
      ],
      close: () => closing.run(),
    };
  } catch (error) {
    await closing.run();
    throw error;
  }
};

const readPriceList = ({ priceListFile }: Config): PriceList => {
  if (priceListFile === null) return SHIPPED_PRICE_LIST;
  try {
    return parsePriceList(readFileSync(priceListFile, 'utf8'));
  } catch (error) {
    throw new BadSetting('PRICE_LIST_FILE', error instanceof Error ? error.message : String(error));
  }
};

/** What was opened last is closed first. */
class ClosingOrder {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.unshift(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step();
  }
}
