import { resolve } from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { Json } from '../json.ts';
import type { BackupReport } from '../moving/backup.ts';
import type { Counts } from '../moving/exportFile.ts';
import type { ExportReport } from '../moving/exportLog.ts';
import type { RestoreReport } from '../moving/restore.ts';
import { drawn, silent } from './progress.ts';
import { runWhereTheDataAre } from './runOperation.ts';

const CODES = '\nExit codes: 0 done, 1 failed, 2 wrong arguments or settings.';

/** `tributary backup | restore | export | import`. */
export const movingCommands = (): Command[] => [backupCommand(), restoreCommand(), exportCommand(), importCommand()];

const backupCommand = (): Command =>
  new Command('backup')
    .argument('<directory>', 'new or empty directory outside DATA_DIR')
    .description(
      'Back up the data directory: log, vault and bytes of streams, except those in object storage. Works with or without a running server. The backup contains everything acknowledged before it. Its chains and seals are verified.',
    )
    .option(
      '--with-master-key',
      'include the master key. Anyone with such a backup can read everything. Without it, keep master.key elsewhere',
    )
    .option('--no-verify', 'do not check the chains and seals of the copy')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  tributary backup /backups/2026-11-21\n${CODES}`)
    .action(async (directory: string, { withMasterKey, verify, json }) => {
      const input = { directory: resolve(directory), withMasterKey: withMasterKey === true, verify };
      showBackup(await runWhereTheDataAre('backup', input, json ? silent : drawn()), json);
    });

const restoreCommand = (): Command =>
  new Command('restore')
    .argument('<directory>', 'directory of a backup')
    .description(
      'Restore a backup into DATA_DIR, which must be empty (master.key may be there). Every file is checked against the manifest.',
    )
    .option('--no-verify', 'do not check chains and seals afterwards')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  DATA_DIR=/var/lib/tributary tributary restore /backups/2026-11-21\n${CODES}`)
    .action(async (directory: string, { verify, json }) => {
      const config = readConfig(process.env);
      const { progress: onProgress } = json ? silent : drawn();
      const from = { directory: resolve(directory), dataDir: resolve(config.dataDir), masterKey: config.masterKey ?? undefined };
      const { restore } = await import('../moving/restore.ts');
      showRestored(await restore({ ...from, verify, onProgress }), json);
    });

const exportCommand = (): Command =>
  new Command('export')
    .argument('<file>', 'file to write (NDJSON)')
    .description(
      'Write the whole platform to one file, to move it to other stores: events, keys (encrypted with the master key) and bytes of streams, also those in object storage. Stop the server first, or later changes will be missing.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  tributary export /moving/tributary.ndjson\n${CODES}`)
    .action(async (file: string, { json }) => {
      const result = await runWhereTheDataAre('export', { file: resolve(file) }, json ? silent : drawn(), () => warnOfServer(file));
      // Safe cast: the operation is one of our own: see `movingOperations.ts`.
      showMoved('Exported', result as unknown as ExportReport, json);
    });

const warnOfServer = (file: string): void =>
  void process.stderr.write(
    `\nWarning: a server is running on these data, and later changes are not in ${file}. Before you move, stop the server and export again.\n`,
  );

const importCommand = (): Command =>
  new Command('import')
    .argument('<file>', 'file of "tributary export"')
    .description(
      'Import an export into empty stores. Needs the master key of the exported platform (MASTER_KEY, or DATA_DIR/master.key). If it is interrupted, run it again to continue. Everything is verified at the end. Do not run a server on these stores during the import.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  DATA_DIR=/var/lib/tributary tributary import /moving/tributary.ndjson\n${CODES}`)
    .action(async (file: string, { json }) => {
      const { progress: onProgress } = json ? silent : drawn();
      const { importFile } = await import('./importFile.ts');
      showMoved('Imported', await importFile(readConfig(process.env), resolve(file), onProgress), json);
    });

const showMoved = (what: string, counts: Counts & Partial<ExportReport>, json: boolean | undefined): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(counts)}\n`);
  const { events, topics, vault, deliveries, damagedTopics = 0 } = counts;
  const told = `${events.toLocaleString('en')} events, ${topics.toLocaleString('en')} topics, ${vault} entries of the vault, deliveries of ${deliveries} users`;
  process.stdout.write(
    `${what} ${told}.\n${withoutDamaged(damagedTopics, 'export')}${what === 'Imported' ? 'Chains and seals hold. The read models are built at the next start.\n' : ''}`,
  );
};

const withoutDamaged = (topics: number, copy: 'backup' | 'export'): string =>
  topics > 0 ? `${topics.toLocaleString('en')} topics are damaged and not in the ${copy}.\n` : '';

const showBackup = (result: Json, json: boolean | undefined): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(result)}\n`);
  // Safe cast: the operation is one of our own: see `movingOperations.ts`.
  const { directory, topics, objects, damagedTopics, bytes, verified, withMasterKey } = result as unknown as BackupReport;
  const size = `${(bytes / 1024 ** 2).toFixed(1)} MiB, ${topics.toLocaleString('en')} topics`;
  const checked = verified ? 'chains and seals hold' : 'chains and seals were not checked';
  const elsewhere =
    objects > 0
      ? `The bytes of ${objects.toLocaleString('en')} topics lie in object storage (TOPICS_URL) and are NOT in the backup. Keep the bucket, or copy it too.\n`
      : '';
  const key = withMasterKey
    ? 'The backup contains the master key. Protect it like the data itself.'
    : 'The backup does NOT contain the master key. Keep master.key (or MASTER_KEY) elsewhere; without it nothing in the vault can be read.';
  process.stdout.write(`Backed up to ${directory}: ${size}; ${checked}.\n${withoutDamaged(damagedTopics, 'backup')}${elsewhere}${key}\n`);
};

const showRestored = (report: RestoreReport, json: boolean | undefined): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(report)}\n`);
  const { dataDir, files, made, verdict, hasMasterKey } = report;
  const checked = verdict === 'holds' ? 'chains and seals hold' : 'chains and seals were not checked';
  process.stdout.write(`Restored ${files.toLocaleString('en')} files of ${made} into ${dataDir}; ${checked}.\n`);
  if (!hasMasterKey) process.stdout.write(`Put master.key into ${dataDir} or set MASTER_KEY before the start.\n`);
};
