import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { silentLogger } from '../../../src/logger.ts';
import { DataDirectoryRefused, lockDataDirectory } from '../../../src/stores/embedded/dataDirectory.ts';
import { openEmbeddedStores } from '../../../src/stores/embeddedStores.ts';
import { eventually } from '../../eventually.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const COMPILED = new URL('../../../dist/stores/embedded/dataDirectory.js', import.meta.url);

/** Another process that takes the directory and keeps it. */
const holder = async (directory: string) => {
  const script = `import { lockDataDirectory } from ${JSON.stringify(COMPILED.href)};
    await lockDataDirectory(${JSON.stringify(directory)}); console.log('locked'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child;
};

describe('the data directory', () => {
  it('is created for its owner only, with its parent directories', async () => {
    const directory = join(temporaryDirectory(), 'deep', 'data');
    const lock = await lockDataDirectory(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    await lock.release();
  });

  it('is refused to a second process with a sentence that names the first', async () => {
    const directory = temporaryDirectory();
    const child = await holder(directory);
    await expect(lockDataDirectory(directory)).rejects.toThrow(DataDirectoryRefused);
    await expect(lockDataDirectory(directory)).rejects.toThrow(
      `The data directory ${directory} is in use by another Tributary (process ${child.pid}). Stop that one first, or set DATA_DIR to another directory.`,
    );
  });

  it('is refused to the same process too', async () => {
    const directory = temporaryDirectory();
    const lock = await lockDataDirectory(directory);
    await expect(lockDataDirectory(directory)).rejects.toThrow(`process ${process.pid}`);
    await lock.release();
  });

  it('is free after each release', async () => {
    const directory = temporaryDirectory();
    const first = await lockDataDirectory(directory);
    await first.release();
    const second = await lockDataDirectory(directory);
    await first.release();
    await expect(lockDataDirectory(directory)).rejects.toThrow(DataDirectoryRefused);
    await second.release();
    expect(existsSync(join(directory, 'lock.pid'))).toBe(false);
  });

  it('is free after its holder was killed', async () => {
    const directory = temporaryDirectory();
    const child = await holder(directory);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = await eventually(() => lockDataDirectory(directory));
    expect(readFileSync(join(directory, 'lock.pid'), 'utf8')).toBe(`${process.pid}\n`);
    await lock.release();
  });

  it('is refused and left free if a newer version wrote it', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'format.json'), '{"format":3}');
    await expect(lockDataDirectory(directory)).rejects.toThrow(
      /was written by a newer version of Tributary \(format 3, this one knows 2\)/,
    );
    writeFileSync(join(directory, 'format.json'), '{"format":1}');
    await (await lockDataDirectory(directory)).release();
  });

  it.each(['', 'null', '{"format":"1"}', '{'])('is refused if its format cannot be read (%j)', async (content) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'format.json'), content);
    await expect(lockDataDirectory(directory)).rejects.toThrow(DataDirectoryRefused);
  });

  it('is refused with a sentence if it is a file', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expect(lockDataDirectory(file)).rejects.toThrow(/^The data directory .* cannot be used: /);
  });

  it.each([
    ['log.db', 'Restore a backup.'],
    ['vault.db', 'Restore it from a backup.'],
    ['views.db', 'delete the file and start again.'],
  ])('is refused with a sentence that says what to do if %s is damaged, and left free', async (name, remedy) => {
    const dataDir = temporaryDirectory();
    const file = join(dataDir, name);
    writeFileSync(file, 'no database '.repeat(1_000));
    const masterKey = Buffer.alloc(32, 7).toString('base64');
    const options = { dataDir, masterKey, diskWatermarkBytes: null, clock: systemClock, logger: silentLogger };
    const error = await openEmbeddedStores(options).catch((refusal: Error) => refusal);
    expect(error).toMatchObject({ message: expect.stringMatching(new RegExp(`^${file} cannot be opened: .* ${remedy}$`)) });
    await (await lockDataDirectory(dataDir)).release();
  });
});
