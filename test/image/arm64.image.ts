import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../temporaryDirectory.ts';

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const packagesOf = (lockFile: string): [string, LockedPackage][] => Object.entries(JSON.parse(readFileSync(lockFile, 'utf8')).packages);

/** Debian 12, the base of the image, has glibc 2.36. Newest first, as pip prefers them. */
const PLATFORMS = Array.from({ length: 20 }, (_, n) => `manylinux_2_${36 - n}_aarch64`);

test('every speech package has a wheel for linux/arm64 with a known hash', () => {
  const report = join(temporaryDirectory(), 'report.json');
  const words = [
    ...['-m', 'pip', 'install', '--dry-run', '--quiet', '--disable-pip-version-check', '--report', report],
    ...['--ignore-installed', '--target', temporaryDirectory(), '--python-version', '3.11', '--implementation', 'cp'],
    ...[...PLATFORMS, 'manylinux2014_aarch64'].flatMap((platform) => ['--platform', platform]),
    ...['--only-binary=:all:', '--require-hashes', '-r', 'speech/requirements.txt'],
  ];
  const { stderr } = spawnSync('speech/.venv/bin/python', words, { encoding: 'utf8' });
  expect(stderr).not.toContain('ERROR');
  const { install } = JSON.parse(readFileSync(report, 'utf8'));
  const files = install.map(({ download_info: { url } }: { download_info: { url: string } }) => url.split('/').at(-1));
  const native = files.filter((file: string) => !file.endsWith('-none-any.whl'));
  console.log(native.join('\n'));
  expect(native.every((file: string) => file.includes('aarch64'))).toBe(true);
  expect(native).toEqual(expect.arrayContaining([expect.stringMatching(/^moonshine_voice/), expect.stringMatching(/^ctranslate2/)]));
});

test('every npm package of the image for one processor has one for linux/arm64', () => {
  for (const lockFile of ['package-lock.json', 'scripts/setup/node/package-lock.json']) {
    const used = packagesOf(lockFile).filter(([, { dev, os }]) => !dev && os?.includes('linux'));
    const of = (processor: string) => new Set(used.filter(([, { cpu }]) => cpu?.includes(processor)).map(([path]) => path));
    const missing = [...of('x64')].filter((path) => !of('arm64').has(path.replace(/-x64(?=-|$)/, '-arm64')));
    expect(missing, lockFile).toEqual([]);
    expect(of('arm64').size, lockFile).toBeGreaterThan(0);
  }
});
