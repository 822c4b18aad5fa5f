import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const DIRECTORY = 'docs/decisions';
const RECORDS = readdirSync(DIRECTORY).filter((name) => /^\d{4}-/.test(name));

it('finds every decision under its number and title in the index, once', () => {
  const index = readFileSync(join(DIRECTORY, 'README.md'), 'utf8');
  const listed = index.split('\n').filter((line) => line.startsWith('- ['));
  const records = RECORDS.map((name) => {
    const [title = ''] = readFileSync(join(DIRECTORY, name), 'utf8').split('\n');
    const number = name.slice(0, 4);
    // A title has the form "# 0001: Title".
    return `- [${number}](${name}) ${title.startsWith(`# ${number}: `) ? title.slice('# 0001: '.length) : 'no title'}`;
  });
  expect(listed.sort()).toEqual(records.sort());
});
