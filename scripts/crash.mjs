// npm run test:crash -- --kills 200 [--form cluster]: kills a server under load that often, then checks that nothing was lost.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `npm run test:crash -- [--kills 10] [--form embedded|cluster]

Runs uploads, cancels, switches of webhook endpoints, credential and template changes against a real server, 24 at a time, and kills it with SIGKILL: in
turn at a random moment and, where strace is installed, at a named point (before a sync of the log, before an answer is sent, ...). Then it compares the log
with everything that was acknowledged, the webhooks that came with those that were due, and the views with the log.

  --kills N     how often to kill it (default 10)
  --form FORM   embedded (default): one process, which is killed; cluster: six nodes over a fake EventStoreDB and FerretDB, of which one at a time is
                killed while the load goes on at the others. Needs Go: the first run builds FerretDB, which takes some minutes`;

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '10' }, form: { type: 'string', default: 'embedded' }, help: { type: 'boolean' } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (!/^[1-9]\d{0,5}$/.test(values.kills)) {
  console.error(`--kills takes a number from 1.\n\n${HELP}`);
  process.exit(2);
}
if (!['embedded', 'cluster'].includes(values.form)) {
  console.error(`--form takes embedded or cluster.\n\n${HELP}`);
  process.exit(2);
}
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.long.config.ts', 'test/crash'], {
  cwd: root,
  env: { ...process.env, KILLS: values.kills, FORM: values.form },
  stdio: 'inherit',
});
process.exit(status ?? 1);
