import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

const TOOLS = ['bench', 'client', 'crash', 'fuzz', 'interfaceCoverage', 'soak', 'stores'] as const;
const REQUIRED: Partial<Record<(typeof TOOLS)[number], readonly string[]>> = { stores: ['--eventstore', 'url', '--mongodb', 'url'] };

const run = (tool: string, ...args: string[]) => spawnSync(process.execPath, [`scripts/${tool}.mjs`, ...args], { encoding: 'utf8' });

describe.each(TOOLS)('the tool %s', (tool) => {
  it('shows help with an example', () => {
    const { status, stdout } = run(tool, '--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(/\n {2}npm run (test:)?[a-z-]+( -- |\n)/);
  });

  it('names an unknown option', () => {
    const { status, stderr } = run(tool, ...(REQUIRED[tool] ?? []), '--nonsense');
    expect([status, stderr]).toEqual([2, expect.stringContaining("unknown option '--nonsense'")]);
  });
});

it.each([
  ['crash', ['--kills', 'many'], 'a number from 1'],
  ['crash', ['--form', 'round'], 'embedded, cluster'],
  ['soak', ['--minutes', '0'], 'a number above 0'],
  ['fuzz', ['--seed', 'x'], 'a number'],
  ['fuzz', ['nonsense'], 'no fuzz test nonsense'],
  ['bench', ['nonsense'], 'no bench nonsense'],
])('names the mistake in %s %j', (tool, args, word) => {
  const { status, stderr } = run(tool, ...args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(word)]);
});

it('lists every bench in the help of bench', () => {
  const files = readdirSync('bench').filter((name) => name.endsWith('.ts'));
  const names = files.flatMap((name) => /defineBench\(\{\s*name: '([^']+)'/.exec(readFileSync(join('bench', name), 'utf8'))?.[1] ?? []);
  expect(names.length).toBeGreaterThan(10);
  const { stdout } = run('bench', '--help');
  expect(names.filter((name) => !new RegExp(`[ ,]${name}[,\\s]`).test(stdout))).toEqual([]);
});

it('bundles the program in ASCII', () => {
  const files = readdirSync('dist/program');
  expect(files).toContain('tributary.js');
  expect(files.filter((file) => /[^\0-\x7f]/.test(readFileSync(join('dist/program', file), 'utf8')))).toEqual([]);
});

it('escapes characters of the bundle so that texts and patterns keep their meaning', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: a script without types
  const { asAscii }: any = await import('../../../scripts/bundleProgram.mjs' as string);
  const source = "[`ă“😀`, 'ș'.match(/[ăș]/u)?.[0], 'a😀b'.replace(/[😀]/u, '-'), '’'.search(/['’]/)]";
  const escaped = asAscii('module.js', `\ufeff${source}`);
  expect(escaped).not.toMatch(/[^\0-\x7f]/);
  expect(runInNewContext(escaped)).toEqual(['ă“😀', 'ș', 'a-b', 0]);
  for (const text of ["'\\é'", 'String.raw`a\nă`'])
    expect(() => asAscii('module.js', text)).toThrow('module.js has a character that is not ASCII after a backslash or in a raw template');
});
