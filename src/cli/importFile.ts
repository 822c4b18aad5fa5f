import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { EVENT_SCHEMAS } from '../domain/eventSchemas.ts';
import { createLogging } from '../logging.ts';
import { ImportClock, type ImportReport, importLog } from '../moving/importLog.ts';
import { openStores } from '../platform.ts';
import { BadSetting } from '../setting.ts';
import { openKeys } from '../stores/keys/openKeys.ts';
import { openEventLog } from '../stores/log/openEventLog.ts';

/** Imports into the stores that the settings name. Rejects with a message: see `importLog`. A running embedded server locks its stores. */
export const importFile = async (config: Config, file: string, onProgress: (line: string) => void): Promise<ImportReport> => {
  // A newly created key could not decrypt the imported events.
  if (config.masterKey === null && !existsSync(join(config.dataDir, 'master.key')))
    throw new BadSetting(
      'MASTER_KEY',
      `an import needs the master key of the exported platform. Set MASTER_KEY, or put master.key into ${config.dataDir}`,
    );
  const clock = new ImportClock();
  const logger = createLogging({ level: 'warn' });
  const stores = await openStores(config, { clock, logger });
  try {
    const keys = await openKeys({ vault: stores.vault, masterKey: stores.masterKey, clock });
    const log = openEventLog({ store: stores.store, keys, schemas: EVENT_SCHEMAS, clock });
    const options = { file, windowMilliseconds: config.webhookRetryWindowMs, onProgress };
    return await importLog({ stores, clock, log, keys, logger }, options);
  } finally {
    await stores.close();
  }
};
