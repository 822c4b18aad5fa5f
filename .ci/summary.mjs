// node .ci/summary.mjs [FAILED STEPS...]: prints the tests that failed, then CI's closing line. A skipped test is a failure there, unless its reason says that the
// part cannot be had. The cluster suite also skips what only the embedded form has, and what `npm test` has run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const folder = '.ci/results';
const failedSteps = process.argv.slice(2);
const allowed = /needs a Docker engine|needs a real EventStoreDB/;

/** The tests of one run by title, for each file. A file that could not be loaded, or whose hooks failed, has a failed test more. */
const filesOf = (results) =>
  new Map(
    JSON.parse(readFileSync(`${folder}/${results}`, 'utf8')).testResults.map((suite) => {
      const tests = new Map(suite.assertionResults.map((test) => [test.fullName, test]));
      const failed = suite.assertionResults.some(({ status }) => status === 'failed');
      if (suite.status === 'failed' && !failed) tests.set('(the file)', { status: 'failed', failureMessages: [suite.message] });
      return [suite.name.replace(`${process.cwd()}/`, ''), tests];
    }),
  );

const reasonOf = (test) => test.failureMessages.join('\n').split('\n').slice(0, 8).join('\n  ');
const titlesOf = (files) => [...files].flatMap(([file, tests]) => [...tests].map(([title, test]) => [`${file} > ${title}`, test]));

const names = existsSync(folder) ? readdirSync(folder) : [];
const suites = names.filter((name) => name.endsWith('.json') && !name.endsWith('.again.json'));
const embedded = new Set(
  (suites.includes('tests.json') ? titlesOf(filesOf('tests.json')) : [])
    .filter(([, { status }]) => status === 'passed')
    .map(([title]) => title),
);

let passed = 0;
const failures = names
  .filter((name) => name.endsWith('.unhandled'))
  .map((name) => `outside of tests: ${readFileSync(`${folder}/${name}`, 'utf8')}`);
for (const suite of suites) {
  const again = suite.replace('.json', '.again.json');
  const first = filesOf(suite);
  const second = names.includes(again) ? filesOf(again) : new Map();
  for (const [title, test] of titlesOf(first)) {
    const [file] = title.split(' > ');
    const now = second.get(file)?.get(title.slice(file.length + 3));
    if (test.status === 'failed' && second.has(file) && now?.status !== 'failed')
      console.log(`failed beside other tests, passed alone: ${title}\n  ${reasonOf(test)}`);
  }
  for (const [title, { status, ...test }] of titlesOf(new Map([...first, ...second]))) {
    if (status === 'passed') passed += 1;
    else if (status === 'failed') failures.push(`failed: ${title}\n  ${reasonOf(test)}`);
    else if (!allowed.test(title) && !(suite === 'cluster.json' && embedded.has(title))) failures.push(`skipped in CI: ${title}`);
  }
}
// A step without test results, or one whose tests all passed and which failed nevertheless.
if (failures.length === 0) failures.push(...failedSteps.map((step) => `failed step: ${step}`));
for (const failure of failures) console.log(failure);
for (const step of failedSteps) console.log(`--- FAILED: ${step}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
