import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = 'src/http';

/** The folders of `src/http` that each of them imports from. */
const imports = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  for (const file of readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    const folder = file.split('/')[0] ?? '';
    const others = found.get(folder) ?? new Set();
    found.set(folder, others);
    for (const [, path = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const other = relative(ROOT, join(dirname(join(ROOT, file)), path));
      if (!other.startsWith('..') && other.split('/')[0] !== folder) others.add(other.split('/')[0] ?? '');
    }
  }
  return found;
};

/** They mount the routes and start the HTTP server. */
const WIRING = ['api.ts', 'main.ts'];

test('only the files that wire the server import from src/http', () => {
  const others = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('http/') && !WIRING.includes(name),
  );
  expect(others.filter((name) => /from '(\.\.?\/)+http\//.test(readFileSync(join('src', name), 'utf8')))).toEqual([]);
});

test('the folders of src/http do not import each other in circles', () => {
  const left = new Map(imports());
  for (;;) {
    const free = [...left].find(([, others]) => [...others].every((other) => !left.has(other)));
    if (!free) break;
    left.delete(free[0]);
  }
  expect([...left.keys()]).toEqual([]);
});
