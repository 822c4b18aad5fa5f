// npm run test:stores -- --eventstore URL --mongodb URL: runs the store tests against servers that you name.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, tool, vitest } from './tool.mjs';

/** Tests of the stores that say nothing about named servers, and why. */
const STAND_IN_ONLY = {
  'test/contract/damagedLog.test.ts': 'deletes event streams, and removes hidden events from the whole log',
  'test/faults/eventStoreDbHidden.test.ts': 'deletes event streams, and verifies a log that holds nothing else',
  'test/faults/eventStoreDbStart.test.ts': 'changes users, rights and certificates of the server',
  'test/faults/deliveryKilled.test.ts': 'is about the embedded form',
};

const { eventstore, mongodb } = tool('test:stores')
  .description(
    [
      'Runs the contract, cluster and fault tests of the stores against servers that you name, instead of the stand-ins. They write into the log, and into databases of',
      'their own that they drop, except "tributary_test_stores": it holds the keys of the log and must be kept as long as the log. Use servers that hold nothing else:',
      'a fresh EventStoreDB, or the one of an earlier run with the same MongoDB. The EventStoreDB user must be in $admins (the tests delete and set metadata), the',
      'MongoDB user needs readWriteAnyDatabase and dbAdminAnyDatabase. Tests that need a fault which no network can cause run on the stand-ins.',
    ].join(' '),
  )
  .requiredOption('--eventstore <url>', 'EventStoreDB, as EVENTSTORE_URL')
  .requiredOption('--mongodb <url>', 'MongoDB, as MONGODB_URL')
  .addHelpText(
    'after',
    [
      '\n  npm run test:stores -- --eventstore "esdb://127.0.0.1:2113?tls=false" --mongodb "mongodb://127.0.0.1:27017/?replicaSet=rs0"\n',
      'Not run, since they need the stand-in:',
      ...Object.entries(STAND_IN_ONLY).map(([file, reason]) => `  ${file}: ${reason}`),
    ].join('\n'),
  )
  .parse()
  .opts();

const environment = { ...process.env, EVENTSTORE_URL: eventstore, MONGODB_URL: mongodb };

const failed = [];
const run = (name, ...args) => {
  console.log(`\n${name}`);
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--maxWorkers=1', ...args], {
    cwd: root,
    env: environment,
    stdio: 'inherit',
  });
  if (status !== 0) failed.push(name);
};

/** Test files in a folder for the named servers. */
const filesIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => /^(?:eventStoreDb|mongo).*\.test\.ts$/.test(name))
    .map((name) => join(folder, name))
    .filter((file) => !(file in STAND_IN_ONLY));

// Run first: it creates the installation, with its keys, in the log of a fresh server.
run('cluster tests', '--config', 'vitest.cluster.config.ts', 'test/cluster');
run('contract tests', ...filesIn('test/contract'));
run('fault tests', ...filesIn('test/faults'));
for (const [file, reason] of Object.entries(STAND_IN_ONLY)) console.log(`not run: ${file} ${reason}`);

if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}.`);
process.exit(failed.length > 0 ? 1 : 0);
