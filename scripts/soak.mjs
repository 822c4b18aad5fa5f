// npm run soak -- --minutes 30: mixed load on one server, and what it does to memory, files, the event loop and the read models.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `npm run soak -- [--minutes 30]

Uploads, cancels, webhooks, exports, live readers, WebSocket sessions and audits, all at once, on a server whose streams expire after seconds. Samples
resident memory, open files, event-loop delay and lag; draws them to soak.svg; fails when memory or files still grow after the first third.

  --minutes N   how long (default 30; memory is judged from 10 on)`;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' }, help: { type: 'boolean' } } });
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (!/^\d{1,5}(\.\d+)?$/.test(values.minutes) || Number(values.minutes) === 0) {
  console.error(`--minutes takes a number above 0.\n\n${HELP}`);
  process.exit(2);
}
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.long.config.ts', 'test/soak'], {
  cwd: root,
  env: { ...process.env, MINUTES: values.minutes },
  stdio: 'inherit',
});
process.exit(status ?? 1);
