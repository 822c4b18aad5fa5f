/** The usual output, and the results as JSON in the file that `TEST_RESULTS` names. CI adds them up. */
export const reporters = process.env.TEST_RESULTS
  ? ['default', ['json', { outputFile: process.env.TEST_RESULTS }] as ['json', { outputFile: string }]]
  : ['default'];
