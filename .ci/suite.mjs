// node .ci/suite.mjs NAME COMMAND...: runs a command that is vitest in the end. If tests fail, their files run once more, one at a time, because the machine of
// CI is shared and a test may run out of time beside others. The results of both runs are for summary.mjs, which prints each test that failed first.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';

const [name, ...command] = process.argv.slice(2);
mkdirSync('.ci/results', { recursive: true });

const run = (results, args) =>
  spawnSync(command[0], [...command.slice(1), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TEST_RESULTS: `.ci/results/${results}.json` },
  }).status === 0;

if (run(name, [])) process.exit(0);

const file = `.ci/results/${name}.json`;
const suites = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : [];
const failed = suites.filter((suite) => suite.status === 'failed').map((suite) => suite.name);
if (failed.length === 0) process.exit(1);

// The attacks are one file, which their command finds itself.
const args = command.includes('attack') ? [] : [...(command.includes('--') ? [] : ['--']), '--maxWorkers=1', ...failed];
console.log(`--- once more, one file at a time: ${failed.join(' ')}`);
process.exit(run(`${name}.again`, args) ? 0 : 1);
