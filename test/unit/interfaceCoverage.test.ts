import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../temporaryDirectory.ts';

const check = (...words: string[]) =>
  spawnSync(process.execPath, ['scripts/interfaceCoverage.mjs', '--check', ...words], { encoding: 'utf8' });

const checkedMap = (map: object) => {
  const directory = temporaryDirectory();
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'map.json');
  writeFileSync(path, JSON.stringify(map));
  return check(`--map=${path}`).stderr;
};

describe('the map of the public interface', () => {
  test('names an existing test for every row, and its page is up to date', () => {
    const { status, stderr } = check();
    expect([status, stderr]).toEqual([0, '']);
  });

  test('fails for a row without a test, and for a row whose test is missing', () => {
    expect(checkedMap({ tables: [{ table: 'T', rows: [{ row: 'r' }] }] })).toContain('T, r: no test');
    const gone = 'test/unit/interfaceCoverage.test.ts > that nobody wrote';
    expect(checkedMap({ tables: [{ table: 'T', tests: [gone], rows: [{ row: 'r' }] }] })).toContain(`there is no test "${gone}"`);
  });
});
