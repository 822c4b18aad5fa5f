import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from '../e2e/server.ts';

/** In the package, so that the examples import it by name, like a user's code. */
const FOLDER = 'clients/typescript/dist/readme';
const README = readFileSync('clients/typescript/README.md', 'utf8');
const EXAMPLES = [...README.matchAll(/^## (.+)\n[\s\S]*?```ts\n([\s\S]*?)```/gm)].map(([, title = '', code = '']) => ({ title, code }));

describe('the examples of the client', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer();
    const environment = { TRIBUTARY_URL: server.url, API_KEY: ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, WEBHOOK_SECRET: 'whsec_c2VjcmV0' };
    Object.assign(process.env, environment);
    mkdirSync(FOLDER, { recursive: true });
  });
  afterAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    await server.kill();
  });

  test('are all found', () => expect(EXAMPLES.length).toBe(README.match(/```ts/g)?.length));

  test.each(EXAMPLES)('$title', async ({ title, code }) => {
    const file = join(FOLDER, `${title.replaceAll(/\W+/g, '-')}.mjs`);
    writeFileSync(file, (await transform(code, { loader: 'ts', format: 'esm' })).code);
    await expect(import(pathToFileURL(file).href)).resolves.toBeDefined();
  });
});
