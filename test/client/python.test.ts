import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from '../e2e/server.ts';
import { pythonOfTests, run } from '../python/venv.ts';

const FOLDER = 'clients/python';
const python = pythonOfTests() ?? '';
const README = readFileSync(`${FOLDER}/README.md`, 'utf8');
const EXAMPLES = [...README.matchAll(/^## (.+)\n[\s\S]*?```python\n([\s\S]*?)```/gm)].map(([, title = '', code = '']) => ({ title, code }));

describe.skipIf(python === '')('the Python client', () => {
  let server: RunningServer;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startServer();
    env = { TRIBUTARY_URL: server.url, API_KEY: ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, PYTHONPATH: 'src' };
  });
  afterAll(() => server.kill());

  test('passes its own tests against a server', { timeout: 120_000 }, async () => {
    const { code, output } = await run(python, ['-m', 'unittest', 'discover', '-v', '-s', 'tests'], { cwd: FOLDER, env });
    expect(code, output).toBe(0);
    expect(output).toMatch(/Ran \d\d tests/);
  });

  test('has types that pass mypy in strict mode', { timeout: 120_000 }, async () => {
    const { code, output } = await run(python, ['-m', 'mypy', '--no-incremental', '--cache-dir=/dev/null'], { cwd: FOLDER });
    expect(code, output).toBe(0);
  });

  test('has a README with all its examples', () => expect(EXAMPLES.length).toBe(README.match(/```python/g)?.length));

  test.each(EXAMPLES)('runs the example "$title"', { timeout: 30_000 }, async ({ code: example }) => {
    const { code, output } = await run(python, ['-c', example], { env: { ...env, PYTHONPATH: resolve(FOLDER, 'src') } });
    expect(code, output).toBe(0);
    expect(output).not.toBe('');
  });
});
