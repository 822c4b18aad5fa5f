import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { docker } from './docker.ts';

/** What the image is built from. */
const SOURCES = [
  ...['Dockerfile', '.dockerignore', '.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
  ...['bin', 'scripts', 'speech', 'src', 'starters', 'web', 'clients', 'docs/guides'],
];
const LEFT_OUT = new Set(['node_modules', 'dist', '.venv', '__pycache__']);

const replaced = (file: string, pattern: RegExp, replacement: string): void => {
  const text = readFileSync(file, 'utf8');
  if (!pattern.test(text)) throw new Error(`${file} has no ${pattern}`);
  writeFileSync(file, text.replace(pattern, replacement));
};

/** Builds these sources as a later version whose list of streams is a new read model. */
export const buildNextVersion = async (version: string, tag: string): Promise<void> => {
  const context = mkdtempSync(join(tmpdir(), 'tributary-next-'));
  try {
    for (const source of SOURCES)
      cpSync(source, join(context, source), { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
    replaced(join(context, 'package.json'), /"version": "[^"]+"/, `"version": "${version}"`);
    replaced(join(context, 'src/projections/streams.ts'), /version: \d+,/, 'version: 1_000,');
    await docker(['build', '-q', '--network', 'host', '--build-arg', 'SPEECH_MODEL=none', '-t', tag, context]);
  } finally {
    rmSync(context, { recursive: true });
  }
};
