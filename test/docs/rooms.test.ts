import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ARCHITECTURE = readFileSync('docs/architecture.md', 'utf8');

test('every folder of src has its row in the architecture, and no other', () => {
  const rooms = readdirSync('src', { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [`src/${entry.name}`] : []));
  const rows = [...ARCHITECTURE.matchAll(/^\| `(src\/[a-zA-Z]+)` \|/gm)].map(([, room]) => room);
  expect(rows.sort()).toEqual(rooms.sort());
});

test('every file of src that lies in no folder is named there', () => {
  const files = readdirSync('src', { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  expect(files.filter((name) => !new RegExp(`\`(src/)?${name.replace('.', '\\.')}\``).test(ARCHITECTURE))).toEqual([]);
});
