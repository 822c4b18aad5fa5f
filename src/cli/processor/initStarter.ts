import { cp, mkdir, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const STARTERS = new URL('../../../starters/', import.meta.url);
const PROGRAM = new URL('../../../bin/tributary.js', import.meta.url);

const START: Readonly<Record<string, string>> = {
  python: 'pip install -r requirements.txt && python app.py',
  go: 'go run .',
  typescript: 'npm install && npm start',
};

export const LANGUAGES = Object.keys(START);

/** Copies the starter of a language. Rejects if the directory is not empty. */
export const initStarter = async (directory: string, language: string): Promise<void> => {
  const there = await readdir(directory).catch(() => []);
  if (there.length > 0) throw new Error(`${directory} is not empty. Choose a new directory.`);
  await mkdir(directory, { recursive: true });
  await cp(fileURLToPath(new URL(`${language}/`, STARTERS)), directory, { recursive: true });
  const check = `node ${quoted(fileURLToPath(PROGRAM))} processor check http://127.0.0.1:9000`;
  process.stdout.write(
    `Wrote a ${language} processor into ${resolve(directory)}.\n\nStart it:\n  cd ${quoted(directory)}\n  ${START[language]}\n\nCheck it in a second terminal:\n  ${check}\n`,
  );
};

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
