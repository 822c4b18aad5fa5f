import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { documentPages } from './blocks.ts';

/** Heading anchors, as GitHub and others make them. */
const anchorsOf = (file: string): Set<string> =>
  new Set(
    [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test('every link between the documents has a target', () => {
  const dead: string[] = [];
  let links = 0;
  for (const file of documentPages()) {
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      links += 1;
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? file : join(dirname(file), path);
      if (!existsSync(to) || (anchor !== undefined && !anchorsOf(to).has(anchor))) dead.push(`${file}: ${target}`);
    }
  }
  expect(links).toBeGreaterThan(30);
  expect(dead).toEqual([]);
});

test('the index names every page', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const unnamed = documentPages().filter((file) => {
    const path = file.replace('docs/', '');
    return file.startsWith('docs/') && path !== 'README.md' && !index.includes(`(${path})`);
  });
  expect(unnamed).toEqual([]);
});

test('the handbook explains every alert', () => {
  const handbook = readFileSync('docs/operations.md', 'utf8');
  const alerts = [...readFileSync('docs/monitoring/alerts.yml', 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((name) => !handbook.includes(`\`${name}\``))).toEqual([]);
});

test('every page that a comment names exists', () => {
  const named = ['src', 'test', 'web/src', 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(folder, file), 'utf8');
        return [...text.matchAll(/`(docs\/[\w/-]+\.md)`/g)].map(([, page = '']) => ({ page, place: join(folder, file) }));
      }),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ page }) => !existsSync(page))).toEqual([]);
});
