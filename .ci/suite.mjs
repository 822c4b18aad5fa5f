// node .ci/suite.mjs NAME COMMAND...: runs a command that is vitest in the end. If tests fail, their files run once more, one at a time, because the machine of
// CI is shared and a test may run out of time beside others. The results of both runs are for summary.mjs, which prints each test that failed first.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';

const [name, ...command] = process.argv.slice(2);
const file = `.ci/results/${name}.json`;
mkdirSync('.ci/results', { recursive: true });

const run = (results, args) =>
  spawnSync(args[0], args.slice(1), { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, TEST_RESULTS: results } }).status ===
  0;

if (run(file, command)) process.exit(0);

const suites = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : [];
const failed = suites.filter((suite) => suite.status === 'failed').map((suite) => suite.name);
// An error outside of tests belongs to no file. The attacks and the image's tests already run one at a time.
if (failed.length === 0 || existsSync(`${file}.unhandled`) || ['attacks', 'image'].includes(name)) process.exit(1);

console.log(`--- once more, one file at a time: ${failed.join(' ')}`);
const withoutPaths = command.includes('--') ? command.slice(0, command.indexOf('--')) : command;
const passed = run(`.ci/results/${name}.again.json`, [...withoutPaths, '--', '--maxWorkers=1', ...failed]);
process.exit(passed && !existsSync(`.ci/results/${name}.again.json.unhandled`) ? 0 : 1);
