import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** The platform, and the client that is made by itself. */
describe.each(['.', 'clients/typescript'])('the dependencies of %s', (folder) => {
  test('have exact versions, each with the hash of the installed package', () => {
    const { dependencies = {}, devDependencies = {} } = read(`${folder}/package.json`);
    const wanted = Object.entries<string>({ ...dependencies, ...devDependencies });
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    const { packages } = read(`${folder}/package-lock.json`);
    const installed = Object.entries<{ integrity?: string; link?: boolean }>(packages).filter(([path]) => path !== '');
    expect(installed.length).toBeGreaterThan(wanted.length);
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
  });

  test('run no install scripts', () => {
    expect(readFileSync(`${folder}/.npmrc`, 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });
});
