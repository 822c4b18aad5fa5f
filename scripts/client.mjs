// npm run client: regenerates clients/typescript/src/generated from the API document of this working tree.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fingerprintOf } from './apiFingerprint.mjs';
import { build, compile } from './build.mjs';
import { root, tool } from './tool.mjs';

tool('client')
  .description('Makes clients/typescript/src/generated anew, from the API document of this working tree.')
  .addHelpText('after', '\n  npm run client')
  .parse();
const folder = join(root, 'clients/typescript');

const buildWhatCompiles = async () => {
  try {
    await build();
  } catch {
    console.log('The client that is there does not compile any more: it is being made anew.');
    compile();
  }
};

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
};

/** The document of this working tree, from a server in this process. */
const currentDocument = async (data) => {
  const port = await freePort();
  const bootstrap = { BOOTSTRAP_CLIENT_ID: 'client', BOOTSTRAP_CLIENT_SECRET: randomUUID(), BOOTSTRAP_API_KEY: randomUUID() };
  Object.assign(process.env, { PORT: String(port), HOST: '127.0.0.1', DATA_DIR: data, LOG_LEVEL: 'error', ...bootstrap });
  const { main } = await import(pathToFileURL(join(root, 'dist/cli/tributary.js')).href);
  void main(['start']);
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(`http://127.0.0.1:${port}/openapi.json`).catch(() => null);
    if (response?.ok) return response.json();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the server did not start');
};

await buildWhatCompiles();
if (!existsSync(join(folder, 'node_modules/openapi-typescript')))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
const { default: openapiTS, astToString } = await import(
  pathToFileURL(join(folder, 'node_modules/openapi-typescript/dist/index.mjs')).href
);
const data = mkdtempSync(join(tmpdir(), 'tributary-client-'));
process.once('exit', () => rmSync(data, { recursive: true, force: true }));
const document = await currentDocument(data);
const types = astToString(await openapiTS(document, { alphabetize: true }));
const head = `/**\n * Made by openapi-typescript: \`npm run client\` makes it anew.\n * API document ${fingerprintOf(document)}\n */\n\n`;
writeFileSync(join(folder, 'src/generated/openapi.ts'), head + types);
console.log('clients/typescript/src/generated/openapi.ts is made.');
process.exit(0);
