import { isoTime } from '../clock.ts';
import { backup } from '../moving/backup.ts';
import { recordBackup } from '../moving/backupRecord.ts';
import { exportLog } from '../moving/exportLog.ts';
import type { Platform } from '../platform.ts';
import { loadMasterKey } from '../stores/keys/masterKey.ts';
import type { Say } from './controlSocket.ts';
import { type Operation, textOf } from './operation.ts';

/** Copies of the platform's data, made where the data are. Paths are absolute, because a server has its own working directory. */
export const MOVING_OPERATIONS = {
  backup: {
    run: async (platform, input, say) => {
      const { config, store, clock } = platform;
      if (config.eventstoreUrl !== null)
        throw new Error('The cluster form is backed up with the tools of its stores: docs/operations-cluster.md, "Backup".');
      const { dataDir } = config;
      const masterKey = loadMasterKey({ setting: config.masterKey ?? undefined, dataDir, create: false });
      const report = await backup(
        { dataDir, store, masterKey, clock },
        {
          directory: textOf(input, 'directory'),
          withMasterKey: input.withMasterKey === true,
          verify: input.verify !== false,
          onProgress: inTurn(platform, say),
        },
      );
      await recordBackup(platform.documents, { ...report, timestamp: isoTime(clock.now()) });
      return { ...report };
    },
  },
  export: {
    run: async (platform, input, say) => ({ ...(await exportLog(platform, textOf(input, 'file'), inTurn(platform, say))) }),
  },
} satisfies Record<string, Operation>;

const EVERY_MILLISECONDS = 250;

/** At most four lines per second. */
const inTurn = ({ clock }: Pick<Platform, 'clock'>, say: Say): ((line: string) => void) => {
  let told = Number.NEGATIVE_INFINITY;
  return (line) => {
    const now = clock.monotonic();
    if (now - told < EVERY_MILLISECONDS) return;
    told = now;
    say.progress(line);
  };
};
