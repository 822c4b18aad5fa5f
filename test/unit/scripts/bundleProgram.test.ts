import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

test('a build keeps the chunks of the build before it, which a running server may load later', async () => {
  const { removeFormer }: { removeFormer(folder: string, outputs: readonly string[]): void } = await import(
    '../../../scripts/bundleProgram.mjs' as string
  );
  const folder = temporaryDirectory();
  const builtWith = (...outputs: string[]): string[] => {
    for (const name of outputs) writeFileSync(join(folder, name), name);
    removeFormer(folder, outputs);
    return readdirSync(folder).filter((name) => name.endsWith('.js'));
  };
  expect(builtWith('main.js', 'start-A.js')).toEqual(['main.js', 'start-A.js']);
  expect(builtWith('main.js', 'start-B.js')).toEqual(['main.js', 'start-A.js', 'start-B.js']);
  expect(builtWith('main.js', 'start-C.js')).toEqual(['main.js', 'start-B.js', 'start-C.js']);
});
