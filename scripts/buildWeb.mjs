// Bundles web to dist/web, unless that is newer than its sources: index.html, and assets with their hash in the name.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const web = join(root, 'web');
const dist = join(root, 'dist/web');
const guides = join(root, 'docs/guides');

const newest = (path) => {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), info.mtimeMs);
};

const isCurrent = () => {
  const page = join(dist, 'index.html');
  const sources = [web, guides, join(root, 'package-lock.json'), fileURLToPath(import.meta.url)];
  return existsSync(page) && statSync(page).mtimeMs > Math.max(...sources.map(newest));
};

/** Names of the bundle's files in dist, by source name, such as `main.tsx`. */
const bundle = async () => {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: web,
    entryPoints: [
      'src/main.tsx',
      'src/styles/index.css',
      'src/docs/docs.ts',
      'src/docs/docs.css',
      'src/docs/viewer.css',
      'src/share/share.ts',
      'src/share/share.css',
      'icon.svg',
    ],
    outdir: join(dist, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome120', 'firefox120', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy', '.mp3': 'file' },
    publicPath: '/assets',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const outputs = Object.entries(metafile.outputs);
  const outputOf = (source) =>
    outputs.find(([path, { entryPoint, inputs }]) => entryPoint === source || (path.endsWith('.svg') && source in inputs));
  return {
    files: new Set(outputs.map(([path]) => basename(path))),
    nameOf: (source) => basename(outputOf(source)[0]),
    importsOf: (source) =>
      outputOf(source)[1]
        .imports.filter(({ kind, external }) => kind === 'import-statement' && !external)
        .map(({ path }) => basename(path)),
  };
};

/** A guide's link to another guide leads to its page; a link to another file becomes text, since that file is not served. */
const guideLink = (href) => {
  const [, name, fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name && existsSync(join(guides, `${name}.md`))) return `/docs/guides/${name}${fragment}`;
  return /^(https:|#)/.test(href) ? href : null;
};

const idOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');

/** The guides as HTML, for `/docs/guides`. */
const renderGuides = async () => {
  const { Marked } = await import('marked');
  const renderer = {
    link({ href, tokens }) {
      const to = guideLink(href);
      const text = this.parser.parseInline(tokens);
      return to === null ? text : `<a href="${to}">${text}</a>`;
    },
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text }) {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      // It scrolls, so the keyboard must reach it.
      return `<pre tabindex="0"><code>${escaped}</code></pre>\n`;
    },
  };
  const marked = new Marked({ renderer });
  const files = readdirSync(guides).filter((name) => name.endsWith('.md'));
  return files.sort().map((file) => {
    const text = readFileSync(join(guides, file), 'utf8');
    const title = /^# (.*)$/m.exec(text)?.[1].replaceAll('`', '') ?? file;
    // A wide table scrolls, so the keyboard must reach it.
    return { name: file.replace(/\.md$/, ''), title, html: marked.parse(text).replaceAll('<table>', '<table tabindex="0">') };
  });
};

/** Writes dist/web. A running server holds its files in memory and is not disturbed. */
export const buildWeb = async () => {
  if (isCurrent()) return;
  mkdirSync(join(dist, 'assets'), { recursive: true });
  const { files, nameOf, importsOf } = await bundle();
  const page = readFileSync(join(web, 'index.html'), 'utf8')
    .replace('%SCRIPT%', `/assets/${nameOf('src/main.tsx')}`)
    .replace(
      '%IMPORTS%',
      importsOf('src/main.tsx')
        .map((name) => `<link rel="modulepreload" href="/assets/${name}">`)
        .join(''),
    )
    .replace('%STYLE%', `/assets/${nameOf('src/styles/index.css')}`)
    .replaceAll('%ICON%', `/assets/${nameOf('icon.svg')}`);
  const [icon, script, style, viewerStyle, sharedScript, sharedStyle] = [
    'icon.svg',
    'src/docs/docs.ts',
    'src/docs/docs.css',
    'src/docs/viewer.css',
    'src/share/share.ts',
    'src/share/share.css',
  ].map((source) => `/assets/${nameOf(source)}`);
  const shared = { icon, script: sharedScript, style: sharedStyle };
  writeFileSync(
    join(dist, 'docs.json'),
    JSON.stringify({ assets: { icon, script, style, viewerStyle }, guides: await renderGuides(), shared }),
  );
  // The viewer's licences ask to stay with it.
  for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-es-bundle.js.LICENSE.txt'])
    cpSync(join(root, 'node_modules/swagger-ui-dist', name), join(dist, 'licenses/swagger-ui', name));
  for (const name of readdirSync(join(dist, 'assets'))) if (!files.has(name)) rmSync(join(dist, 'assets', name));
  writeFileSync(join(dist, 'index.html.new'), page);
  renameSync(join(dist, 'index.html.new'), join(dist, 'index.html'));
};
