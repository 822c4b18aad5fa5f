// npm run fuzz -- --minutes 10 [--seed 7] [http ...]: the fuzz tests for as long as one likes; each tells its seed.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `npm run fuzz -- [--minutes 1] [--seed N] [NAME ...]

Sends generated input to a real server and looks at what comes back. NAME is one of http, websocket, multipart, patches, audit, events;
default: all, one after the other, which share the minutes.

  --minutes N   how long in all (default 1 each)
  --seed N      repeats the run that told this seed

http needs Schemathesis: python3 -m venv .venv && .venv/bin/pip install -r test/fuzz/requirements.txt`;

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const isNumber = (text) => text === undefined || /^\d{1,10}(\.\d+)?$/.test(text);
if (!isNumber(values.minutes) || !isNumber(values.seed)) {
  console.error(`--minutes and --seed take a number.\n\n${HELP}`);
  process.exit(2);
}
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const files = positionals.length > 0 ? positionals.map((name) => `test/fuzz/${name}.test.ts`) : ['test/fuzz/'];
const tests = spawnSync(process.execPath, [vitest, 'list', '--filesOnly', ...files], { cwd: root, encoding: 'utf8' }).stdout;
const count = tests.split('\n').filter((line) => line.includes('test/fuzz/')).length;
if (count < files.length) {
  console.error(`No such fuzz test.\n\n${HELP}`);
  process.exit(2);
}
const seconds = values.minutes === undefined ? 60 : Math.max(1, Math.round((Number(values.minutes) * 60) / count));
const { status } = spawnSync(process.execPath, [vitest, 'run', '--no-file-parallelism', ...files], {
  cwd: root,
  env: { ...process.env, FUZZ_SECONDS: String(seconds), ...(values.seed === undefined ? {} : { FUZZ_SEED: values.seed }) },
  stdio: 'inherit',
});
process.exit(status ?? 1);
