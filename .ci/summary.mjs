// node .ci/summary.mjs [FAILED STEPS...]: prints the tests that failed, then CI's closing line. A skipped test is a failure there, unless its reason says that the
// part cannot be had, or another suite ran it: the cluster form skips what only the embedded form has.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const folder = '.ci/results';
const failedSteps = process.argv.slice(2);
const allowed = /needs a Docker engine|needs a real EventStoreDB/;

/** The tests of one run, by file and title. A file that could not be loaded counts as one failed test. */
const testsOf = (results) =>
  new Map(
    JSON.parse(readFileSync(`${folder}/${results}`, 'utf8')).testResults.flatMap((suite) => {
      const file = suite.name.replace(`${process.cwd()}/`, '');
      const failed = suite.assertionResults.some(({ status }) => status === 'failed');
      const unloaded =
        suite.status === 'failed' && !failed ? [{ fullName: '(the file)', status: 'failed', failureMessages: [suite.message] }] : [];
      return [...suite.assertionResults, ...unloaded].map((test) => [`${file} > ${test.fullName}`, test]);
    }),
  );

const suites = existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.again.json')) : [];
const firstRuns = suites.map((results) => [results, testsOf(results)]);
const ran = new Set(firstRuns.flatMap(([, tests]) => [...tests].filter(([, { status }]) => status === 'passed').map(([title]) => title)));

const reasonOf = (test) => test.failureMessages.join('\n').split('\n').slice(0, 8).join('\n  ');

let passed = 0;
const failures = [];
for (const [results, tests] of firstRuns) {
  const again = results.replace('.json', '.again.json');
  const secondRun = existsSync(`${folder}/${again}`) ? testsOf(again) : new Map();
  for (const [title, test] of tests) {
    if (test.status === 'passed') passed += 1;
    else if (test.status !== 'failed') {
      if (!ran.has(title) && !allowed.test(title)) failures.push(`skipped in CI: ${title}`);
    } else if (secondRun.get(title)?.status === 'passed') {
      passed += 1;
      console.log(`failed beside other tests, passed alone: ${title}\n  ${reasonOf(test)}`);
    } else failures.push(`failed: ${title}\n  ${reasonOf(secondRun.get(title) ?? test)}`);
  }
}
// A step without test results, or one whose tests all passed and which failed nevertheless.
if (failures.length === 0) failures.push(...failedSteps.map((step) => `failed step: ${step}`));
for (const failure of failures) console.log(failure);
for (const step of failedSteps) console.log(`--- FAILED: ${step}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
