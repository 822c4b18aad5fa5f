import { type ExecFileSyncOptions, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../e2e/client.ts';
import { ADMIN_KEY, type RunningServer, startServer } from '../e2e/server.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';

// Clients are generated from the document of a real server, compiled, and run against it: upload, wait, export, usage. They are deleted afterwards.

const TOOLS = resolve('.clients');
const HERE = resolve('test/generated');
const CLIENT_MODULES = resolve('clients/typescript/node_modules');
const DONE = /COMPLETED .*offer on Monday\. 0\.0\d+/;

let server: RunningServer;
let documents: string;
let whole: string;
let clients: string;
beforeAll(async () => {
  server = await startServer();
  documents = mkdtempSync(join(tmpdir(), 'tributary-documents-'));
  whole = join(documents, 'whole.json');
  clients = join(documents, 'clients.json');
  writeFileSync(whole, (await call(server.url, '/openapi.json')).text);
  writeFileSync(clients, (await call(server.url, '/openapi.json?for=clients')).text);
});
afterAll(async () => {
  await server.kill();
  rmSync(documents, { recursive: true, force: true });
});

const run = (command: string, args: readonly string[], options: ExecFileSyncOptions = {}): string => {
  const env = { ...process.env, TRIBUTARY_URL: server.url, API_KEY: ADMIN_KEY };
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env, ...options }).toString();
};

const tool = (...path: readonly string[]): string => join(TOOLS, ...path);
const isHere = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;
const NEEDS: Readonly<Record<string, boolean>> = {
  'openapi-python-client': existsSync(tool('venv/bin/openapi-python-client')),
  'openapi-generator and Java': existsSync(tool('openapi-generator-cli.jar')) && isHere('java'),
  'oapi-codegen and Go': existsSync(tool('oapi-codegen')) && isHere('go'),
  'openapi-typescript': existsSync(join(CLIENT_MODULES, '.bin/openapi-typescript')),
  'Redocly and Spectral': existsSync(tool('node_modules/.bin/redocly')) && existsSync(tool('node_modules/.bin/spectral')),
};

const needs = (name: string): boolean => {
  if (!NEEDS[name]) console.log(`skipped: needs ${name} (test/generated/tools.sh installs them)`);
  return !NEEDS[name];
};

describe('a generated client compiles, uploads, waits, exports and reads the usage', () => {
  test.skipIf(needs('openapi-python-client'))('of openapi-python-client', () => {
    const folder = temporaryDirectory();
    const config = [
      '--config',
      join(HERE, 'openapi-python-client.yml'),
      '--meta',
      'none',
      '--output-path',
      join(folder, 'tributary_client'),
    ];
    const said = run(tool('venv/bin/openapi-python-client'), ['generate', '--path', clients, ...config]);
    expect(said).not.toMatch(/parsing|omitted/);
    copyFileSync(join(HERE, 'program_openapi_python_client.py'), join(folder, 'program.py'));
    expect(run(tool('venv/bin/python'), ['program.py'], { cwd: folder })).toMatch(DONE);
  });

  test.skipIf(needs('openapi-generator and Java'))('of openapi-generator, for Python', () => {
    const folder = temporaryDirectory();
    const options = ['-g', 'python', '-i', clients, '-o', folder, '--package-name', 'tributary_client'];
    run('java', ['-jar', tool('openapi-generator-cli.jar'), 'generate', ...options], { maxBuffer: 1 << 26 });
    copyFileSync(join(HERE, 'program_openapi_generator.py'), join(folder, 'program.py'));
    expect(run(tool('venv/bin/python'), ['program.py'], { cwd: folder })).toMatch(DONE);
  });

  test.skipIf(needs('oapi-codegen and Go'))('of oapi-codegen, for Go', () => {
    const folder = temporaryDirectory();
    for (const name of ['program.go', 'go.mod', 'go.sum']) copyFileSync(join(HERE, `${name}.txt`), join(folder, name));
    run(tool('oapi-codegen'), ['-config', join(HERE, 'oapi-codegen.yml'), clients], { cwd: folder });
    expect(run('go', ['run', '.'], { cwd: folder })).toMatch(DONE);
  });

  test.skipIf(needs('openapi-typescript'))('of openapi-typescript, with openapi-fetch', () => {
    const folder = temporaryDirectory();
    run(join(CLIENT_MODULES, '.bin/openapi-typescript'), [clients, '-o', join(folder, 'openapi.ts')]);
    copyFileSync(join(HERE, 'program.ts.txt'), join(folder, 'program.ts'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const strict = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--skipLibCheck',
      '--types',
      'node',
      '--rewriteRelativeImportExtensions',
    ];
    mkdirSync(join(folder, 'out'));
    run(resolve('node_modules/.bin/tsc'), [...strict, '--outDir', 'out', 'program.ts'], { cwd: folder });
    expect(run(process.execPath, ['out/program.js'], { cwd: folder })).toMatch(DONE);
  });
});

describe('linters find no error in', () => {
  test.skipIf(needs('Redocly and Spectral'))('both forms of the document', () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, '.spectral.yml'), 'extends: ["spectral:oas"]\n');
    for (const document of [whole, clients]) {
      run(tool('node_modules/.bin/redocly'), ['lint', '--extends=recommended', document], { cwd: folder });
      run(tool('node_modules/.bin/spectral'), ['lint', '-r', join(folder, '.spectral.yml'), document], { cwd: folder });
    }
  });
});
