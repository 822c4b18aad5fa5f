// npm run test:crash -- --kills 200: kills a server under load that often, then checks that nothing was lost.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `npm run test:crash -- [--kills 10]

Runs uploads, cancels, switches of webhook endpoints, credential and template changes against a real server, 24 at a time, and kills it with SIGKILL: in
turn at a random moment and, where strace is installed, at a named point (before a sync of the log, before an answer is sent, ...). Then it compares the log
with everything that was acknowledged, the webhooks that came with those that were due, and the views with the log.

  --kills N   how often to kill it (default 10)`;

const { values } = parseArgs({ options: { kills: { type: 'string', default: '10' }, help: { type: 'boolean' } } });
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (!/^[1-9]\d{0,5}$/.test(values.kills)) {
  console.error(`--kills takes a number from 1.\n\n${HELP}`);
  process.exit(2);
}
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.long.config.ts', 'test/crash'], {
  cwd: root,
  env: { ...process.env, KILLS: values.kills },
  stdio: 'inherit',
});
process.exit(status ?? 1);
