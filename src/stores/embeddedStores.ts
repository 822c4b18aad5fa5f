import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { ClosingOrder } from './closingOrder.ts';
import { lockDataDirectory } from './embedded/dataDirectory.ts';
import { DataDisk } from './embedded/dataDisk.ts';
import { openEmbeddedDocuments } from './embedded/documents.ts';
import { openEmbeddedEventStore } from './embedded/eventStore.ts';
import type { LogUpgrade } from './embedded/logUpgrade.ts';
import { openEmbeddedTopics } from './embedded/topics.ts';
import { loadMasterKey } from './keys/masterKey.ts';
import { openLoneLeases } from './leases/loneLeases.ts';
import { aloneNode } from './leases/nodes.ts';
import type { Stores } from './stores.ts';

export interface EmbeddedStoresOptions {
  readonly dataDir: string;
  /** The setting `MASTER_KEY`; `null` uses the file in the data directory, which is created if missing. */
  readonly masterKey: string | null;
  /** See `DataDisk`. */
  readonly diskWatermarkBytes: number | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

const vaultFile = (dataDir: string): string => join(dataDir, 'vault.db');

/** Whether a platform has ever used the data directory: every form has its vault there. */
export const holdsData = (dataDir: string): boolean => existsSync(vaultFile(dataDir));

/** Locks the data directory and opens its stores. Rejects with a sentence if it is in use or newer than this program. */
export const openEmbeddedStores = async (options: EmbeddedStoresOptions): Promise<Stores> => {
  const { dataDir, masterKey: setting, clock } = options;
  const closing = new ClosingOrder();
  try {
    const lock = await lockDataDirectory(dataDir);
    closing.add(() => lock.release());
    const masterKey = loadMasterKey({ setting: setting ?? undefined, dataDir, create: true });
    const upgrade = upgradeReport(options);
    const storing = openEmbeddedEventStore({ dataDir, clock, onUpgrade: upgrade.progress });
    const disk = new DataDisk({ dataDir, watermark: options.diskWatermarkBytes, clock });
    const topicsBeside = async () =>
      openEmbeddedTopics({
        directory: join(dataDir, 'topics'),
        clock,
        rows: (await storing).topicRows,
      });
    const opening = [
      storing,
      openEmbeddedDocuments({ file: join(dataDir, 'views.db'), durability: 'NORMAL' }),
      openEmbeddedDocuments({ file: vaultFile(dataDir), durability: 'FULL' }),
      topicsBeside(),
    ] as const;
    // If one is refused, the others are closed: their threads would keep the process alive.
    for (const opened of await Promise.allSettled(opening)) if (opened.status === 'fulfilled') closing.add(() => opened.value.close());
    const [store, documents, vault, topics] = await Promise.all(opening);
    if (lock.upgraded()) upgrade.end();
    const leases = await openLoneLeases({ documents, clock, holder: `pid ${process.pid}` });
    closing.add(() => leases.close());
    const own = { exclusive: true, workDirectory: join(dataDir, 'work'), close: () => closing.run() };
    return { store, documents, leases, nodes: aloneNode, vault, topics, objectStorage: null, disk, masterKey, ...own };
  } catch (error) {
    await closing.run();
    throw error;
  }
};

/** Milliseconds between two lines about an upgrade. */
const REPORT_EVERY = 1_000;

/** Logs an upgrade of the data directory: its end, its progress when it takes longer, and what was lost before. */
const upgradeReport = ({ clock, logger, dataDir }: EmbeddedStoresOptions) => {
  const begun = clock.monotonic();
  let reported = begun;
  let latest: LogUpgrade = { moved: 0, damaged: 0, all: 0 };
  return {
    progress: (upgrade: LogUpgrade): void => {
      latest = upgrade;
      if (clock.monotonic() - reported < REPORT_EVERY) return;
      reported = clock.monotonic();
      logger.info({ dataDir, percent: Math.floor((100 * upgrade.moved) / upgrade.all) }, 'upgrading the data directory');
    },
    end: (): void => {
      const { moved, damaged } = latest;
      const seconds = (clock.monotonic() - begun) / 1_000;
      logger.info({ dataDir, movedTopics: moved, seconds }, 'data directory upgraded; earlier versions refuse it now');
      if (damaged > 0)
        logger.error(
          { dataDir, topics: damaged },
          'log.extents lacked the bytes of some small topics; if you have a whole copy of the directory from before the upgrade, start with that',
        );
    },
  };
};
