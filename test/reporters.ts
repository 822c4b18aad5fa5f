import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

const results = process.env.TEST_RESULTS;

/** Errors outside of tests and dead workers, which the JSON of vitest leaves out. */
const unhandled: Reporter = {
  onTestRunEnd(_modules, errors) {
    if (errors.length > 0) writeFileSync(`${results}.unhandled`, errors.map(({ message }) => `${message}\n`).join(''));
  },
};

/** The usual output, and the results as JSON in the file that `TEST_RESULTS` names. CI adds them up. */
export const reporters: ('default' | ['json', { outputFile: string }] | Reporter)[] =
  results === undefined ? ['default'] : ['default', ['json', { outputFile: results }], unhandled];
