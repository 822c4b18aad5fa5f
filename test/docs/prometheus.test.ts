import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../temporaryDirectory.ts';

// Prometheus accepts the configurations that operators copy. `.ci/run` installs promtool with Debian's prometheus.

const promtool = process.env.PROMTOOL ?? 'promtool';
const isHere = spawnSync(promtool, ['--version']).error === undefined;
if (!isHere) console.log('skipped: needs promtool (package prometheus)');

const check = (...args: readonly string[]): { status: number | null; said: string } => {
  const { status, stdout, stderr } = spawnSync(promtool, ['check', ...args], { encoding: 'utf8' });
  return { status, said: stdout + stderr };
};

/** The yaml blocks of the pages that configure Prometheus, with their page. */
const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const examples = pages
  .map((name) => join('docs', name))
  .flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^```ya?ml\n(.*?)^```$/gms)]
      .map(([, yaml = '']) => [page, yaml] as const)
      .filter(([, yaml]) => yaml.includes('scrape_configs')),
  );

describe.skipIf(!isHere)('promtool accepts', () => {
  test.each(examples)('the scrape configuration of %s', (_, yaml) => {
    const file = join(temporaryDirectory(), 'prometheus.yml');
    writeFileSync(file, yaml);
    // The file with the secret is the operator's.
    expect(check('config', '--syntax-only', file)).toMatchObject({ status: 0 });
  });

  test('the alert rules', () => {
    expect(check('rules', 'docs/monitoring/alerts.yml')).toMatchObject({ status: 0 });
  });
});

test('the docs have an example of a scrape configuration', () => {
  expect(examples.map(([page]) => page)).toContain('docs/operations.md');
});
