import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const INSIDES = ['x._y;', "x['_y'];", 'const { _y } = x;', 'const { _y: y } = x;', 'const f = ({ _y = 1 }) => _y;'];
const OTHERS = ['x.y;', 'x._id;', "x['_id'];", 'const { _id } = x;', 'const { y: _ } = x;'];

test('the linter refuses members that begin with an underscore, however they are read', () => {
  const directory = temporaryDirectory();
  const files = [...INSIDES, ...OTHERS].map((code, n) => ({ code, file: `file${n}.ts` }));
  for (const { code, file } of files) writeFileSync(join(directory, file), code);
  writeFileSync(
    join(directory, 'biome.json'),
    JSON.stringify({ plugins: [resolve('lint/publicInterfaces.grit')], linter: { rules: { preset: 'none' } } }),
  );
  const { stdout, stderr } = spawnSync('biome', ['lint', `--config-path=${directory}`, directory], { encoding: 'utf8' });
  const refused = files.filter(({ file }) => `${stdout}${stderr}`.includes(`${file}:1:`));
  expect(refused.map(({ code }) => code)).toEqual(INSIDES);
});
