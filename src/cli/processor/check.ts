import { type Case, casesFor } from './cases.ts';
import type { Form } from './forms.ts';
import type { Target } from './probe.ts';

const failureOf = async (one: Case, target: Target): Promise<string | null> => {
  try {
    return await one.run(target);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return `It gave no answer${code}. A request must be answered within 15 seconds here, also when it is refused.`;
  }
};

/** Runs the conformance suite against a processor and prints the results. The exit code is 1 if a case fails. */
export const check = async (url: string, secret: string | null, form: Form): Promise<void> => {
  const target = { url, secret, contentType: form.input.contentType };
  const all = casesFor(form);
  const cases = all.filter(({ needsSecret }) => secret !== null || !needsSecret);
  let failures = 0;
  for (const one of cases) {
    const failure = await failureOf(one, target);
    failures += failure === null ? 0 : 1;
    process.stdout.write(failure === null ? `ok    ${one.name}\n` : `FAIL  ${one.name}\n      ${failure}\n`);
  }
  const left = all.length - cases.length;
  if (left > 0) process.stdout.write(`\nskipped: ${left} cases about signatures need --secret\n`);
  process.stdout.write(failures === 0 ? `\nAll ${cases.length} cases pass.\n` : `\n${failures} of ${cases.length} cases failed.\n`);
  if (failures > 0) process.exitCode = 1;
};
