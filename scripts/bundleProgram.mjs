// Bundles the compiled program and the packages that a start needs into dist/program: six hundred small modules take half a second to load. Threads and what is
// seldom needed stay files of their own.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const program = join(dist, 'program');
const entry = join(program, 'tributary.js');

/** Packages that look for files beside their own or that only threads load, and the stores and traces that most servers do without. */
const EXTERNAL = [
  'pino',
  'piscina',
  'docx',
  'mongodb',
  '@eventstore/*',
  '@grpc/*',
  '@aws-sdk/*',
  '@smithy/*',
  'google-protobuf',
  '@opentelemetry/*',
  '#client',
];

/** Packages in CommonJS ask for Node's modules by `require`. */
const BANNER = "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);";

const isCurrent = () =>
  existsSync(entry) &&
  [join(dist, '.tsbuildinfo'), join(root, 'package-lock.json'), fileURLToPath(import.meta.url)].every(
    (path) => statSync(path).mtimeMs < statSync(entry).mtimeMs,
  );

/**
 * V8 keeps each module's source, with two bytes a character if any is beyond Latin-1. Esbuild escapes strings, but not patterns, tagged templates and
 * comments.
 */
export const asAscii = (path, text) => {
  // An escape would change their meaning.
  if (/\\[^\0-\x7f]|\braw`[^`]*[^\0-\x7f]/.test(text))
    throw new Error(`${path} has a character that is not ASCII after a backslash or in a raw template. Write it as \\u....`);
  return text.replace(/^\ufeff/, '').replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
};

/** Modules find threads and assets beside themselves: each keeps the address of its own file. */
const withOwnAddress = (path, text) =>
  path.startsWith(dist + sep)
    ? text.replaceAll('import.meta.url', `new URL(${JSON.stringify(relative(program, path))}, import.meta.url).href`)
    : text;

const rewritten = {
  name: 'own addresses and ASCII',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.[cm]?js$/ }, ({ path }) => ({
      contents: asAscii(path, withOwnAddress(path, readFileSync(path, 'utf8'))),
      loader: 'js',
    })),
};

const LIST = 'outputs.json';

/**
 * Removes what neither this build nor the one before it has written: a server that runs on the former build has yet to load some of its chunks, whose
 * names have the hash of their content.
 */
export const removeFormer = (folder, outputs) => {
  const list = join(folder, LIST);
  const former = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : readdirSync(folder);
  const kept = new Set([...outputs, ...former, LIST]);
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name));
  writeFileSync(list, JSON.stringify(outputs));
};

export const bundleProgram = async () => {
  if (isCurrent()) return;
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(dist, 'cli/tributary.js')],
    outdir: program,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: EXTERNAL,
    banner: { js: BANNER },
    plugins: [rewritten],
    metafile: true,
    logLevel: 'warning',
  });
  removeFormer(
    program,
    Object.keys(metafile.outputs).map((path) => basename(path)),
  );
  const now = new Date();
  utimesSync(entry, now, now);
};
