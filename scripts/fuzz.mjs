// npm run fuzz -- --minutes 10 [--seed 7] [http ...]: runs the fuzz tests for a given time; each prints its seed.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { numberLike, root, runNode, tool, vitest } from './tool.mjs';

const names = readdirSync(join(root, 'test/fuzz')).flatMap((file) =>
  file.endsWith('.test.ts') ? [file.slice(0, -'.test.ts'.length)] : [],
);
const number = numberLike(/^\d{1,10}(\.\d+)?$/, 'a number');

const program = tool('fuzz')
  .description('Sends generated input to a real server and checks its answers.')
  .argument('[names...]', `which, one after the other: ${names.join(', ')}; all by default`)
  .option('--minutes <n>', 'total time (default: one minute for each target)', number)
  .option('--seed <n>', 'repeat the run that printed this seed', number)
  .addHelpText(
    'after',
    `
http needs Schemathesis: python3 -m venv .venv && .venv/bin/pip install -r test/fuzz/requirements.txt

  npm run fuzz -- websocket patches --minutes 10`,
  )
  .parse();

const unknown = program.args.filter((name) => !names.includes(name));
if (unknown.length > 0) program.error(`error: there is no fuzz test ${unknown.join(', ')}`);

const { minutes, seed } = program.opts();
const chosen = program.args.length > 0 ? program.args : names;
const seconds = minutes === undefined ? 60 : Math.max(1, Math.round((Number(minutes) * 60) / chosen.length));
const files = chosen.map((name) => `test/fuzz/${name}.test.ts`);
const environment = { FUZZ_SECONDS: String(seconds), ...(seed === undefined ? {} : { FUZZ_SEED: seed }) };
runNode([vitest, 'run', '--no-file-parallelism', ...files], environment);
