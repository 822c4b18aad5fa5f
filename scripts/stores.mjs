// npm run test:stores -- --eventstore URL --mongodb URL: runs the store tests against servers that you name.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, tool, vitest } from './tool.mjs';

const command = tool('test:stores')
  .description(
    [
      'Runs the contract, cluster and fault tests of the stores against servers that you name, instead of the stand-ins. They write into the log, and into databases of',
      'their own that they drop, except "tributary_test_stores": it holds the keys of the log and must be kept as long as the log. Use servers that hold nothing else:',
      'a fresh EventStoreDB, or the one of an earlier run with the same MongoDB. The cluster tests need both servers. Tests that need a fault which no network can',
      'cause run on the stand-ins.',
    ].join(' '),
  )
  .option('--eventstore <url>', 'EventStoreDB, as EVENTSTORE_URL')
  .option('--mongodb <url>', 'MongoDB, as MONGODB_URL')
  .addHelpText(
    'after',
    '\n  npm run test:stores -- --eventstore "esdb://127.0.0.1:2113?tls=false" --mongodb "mongodb://127.0.0.1:27017/?replicaSet=rs0"',
  );
const { eventstore, mongodb } = command.parse().opts();
if (!eventstore && !mongodb) command.error('Name --eventstore, --mongodb or both.');

const environment = {
  ...process.env,
  ...(eventstore && { EVENTSTORE_URL: eventstore }),
  ...(mongodb && { MONGODB_URL: mongodb }),
};

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

/** Test files in the folders for one of the named servers. */
const filesAbout = (...folders) => {
  const servers = [...(eventstore ? ['eventStoreDb'] : []), ...(mongodb ? ['mongo'] : [])];
  const isAbout = (name) => name.endsWith('.test.ts') && servers.some((server) => name.toLowerCase().includes(server.toLowerCase()));
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter(isAbout)
      .map((name) => join(folder, name)),
  );
};

// Run first: it creates the installation, with its keys, in the log of a fresh server.
if (eventstore && mongodb) run('cluster tests', '--config', 'vitest.cluster.config.ts', 'test/cluster');
else console.log('skipped: the cluster tests need --eventstore and --mongodb');
run('contract tests', ...filesAbout('test/contract'));
run('fault tests', ...filesAbout('test/faults'));

if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}.`);
process.exit(failed.length > 0 ? 1 : 0);
