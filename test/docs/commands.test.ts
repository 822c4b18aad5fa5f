import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, streamEnd, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { ADMIN_KEY, CLIENT_ID, CLIENT_SECRET, type RunningServer, startServer } from '../e2e/server.ts';
import { PROGRAM } from '../e2e/tributary.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../freePort.ts';
import { pythonOfTests } from '../python/venv.ts';
import { Receiver } from '../receiver.ts';
import { speech, speechEngineIsHere } from '../speech.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { type CommandBlock, commandPages } from './blocks.ts';
import { NOT_RUN, REFUSED, RUN_BY, TELLING } from './notRun.ts';

let server: RunningServer;
let receiver: Receiver;
/** For what pages start on the ports 9000 to 9002. */
let ports: readonly number[] = [];
/** A stream and a credential for pages that refer to some; guides are for plain users. */
const known = { streamId: '', credentialId: '', userKey: '' };

const executable = (file: string, text: string): void => {
  writeFileSync(file, `#!/bin/bash\n${text}\n`);
  chmodSync(file, 0o755);
};

beforeAll(async () => {
  ports = await Promise.all([freePort(), freePort(), freePort()]);
  receiver = await Receiver.start();
  server = await startServer({ environment: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', RETENTION_EPHEMERAL_S: '600', SEAL_INTERVAL_S: '1' } });
  const { body } = await upload(server.url, { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true' }, 'Ana called.');
  await streamEnd(server.url, body.streamId);
  known.streamId = body.streamId;
  const credential = { kind: 'api-key', label: 'docs', role: 'user' };
  const issued = await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential });
  known.credentialId = issued.body.id;
  const user = await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body: credential });
  known.userKey = user.body.secret;
  // The page on audits keeps the newest seal.
  await eventually(async () => (await call(server.url, '/audit-service/api/v1/event-streams/seals')).status === 200);
});
afterAll(async () => {
  await server.kill();
  await receiver.close();
});

/** A reader's folder: `npx tributary` and the npm packages are this checkout's, and a refusal makes `curl` fail. */
const readersFolder = (): { folder: string; path: string } => {
  const folder = temporaryDirectory();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const only = '[ "$1" = tributary ] || { echo "npx $1 is not for tests" >&2; exit 1; }';
  executable(join(bin, 'npx'), `${only}\nshift\nexec ${process.execPath} ${process.cwd()}/${PROGRAM} "$@"`);
  executable(join(bin, 'node'), `exec ${process.execPath} "$@"`);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  executable(join(bin, 'curl'), 'exec /usr/bin/curl --fail-with-body "$@"');
  return { folder, path: `${bin}:${process.env.PATH}` };
};

/** Values that a reader inserts for placeholders. */
const filledIn = ({ place, commands }: CommandBlock, folder: string): string =>
  commands
    // Each block has its own folder, so that files of earlier ones do not interfere.
    .replaceAll(/\/(backups|moving|var\/lib)\//g, `${folder}/${place.replaceAll(/\W/g, '-')}/`)
    .replaceAll('http://127.0.0.1:8080', server.url)
    .replaceAll(/\b900[012]\b/g, (port) => String(ports[Number(port) - 9_000]))
    .replace('api_key="..."', `api_key="${ADMIN_KEY}"`)
    .replace(/API_KEY=\.\.\./, `API_KEY=${isForUsers(place) ? known.userKey : ADMIN_KEY}`)
    .replace(/CLIENT_ID=\.\.\. CLIENT_SECRET=\.\.\./, `CLIENT_ID=${CLIENT_ID} CLIENT_SECRET=${CLIENT_SECRET}`)
    .replaceAll('https://example.org/', receiver.url('/'))
    .replaceAll(/stream-<(id|streamId)>/g, `stream-${known.streamId}`)
    .replaceAll('<id>', known.credentialId);

/** Commands that issue credentials are for administrators. */
const isForUsers = (place: string): boolean => place.startsWith('docs/guides/') && !place.startsWith('docs/guides/sign-in.md');

/** Commands that write outside the reader's folder are not run: the test prints that, and the page must be listed above. */
const checkPaths = (place: string, commands: string, folder: string): void => {
  const paths = [...commands.matchAll(/(?:^|[\s='"])(\/[a-z][\w.-]*\/[^\s'"]*)/g)].map(([, path = '']) => path);
  const outside = paths.filter((path) => !path.startsWith(folder) && path !== '/dev/null');
  if (outside.length > 0) throw new Error(`${place} names paths of this machine: ${outside.join(', ')}`);
};

/** What a page starts in the background ends with its script. */
const STOP_ALL = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n`;

/** Programs read the environment, which earlier blocks of their page export. */
const INTERPRETERS = new Map([
  ['js', 'node --input-type=module -'],
  ['python', '"$PYTHON" -'],
]);

const commandOf = ({ language }: CommandBlock, filled: string): string => {
  const interpreter = INTERPRETERS.get(language);
  return interpreter === undefined ? filled : `${interpreter} <<'PROGRAM'\n${filled}PROGRAM`;
};

const scriptOf = (blocks: readonly CommandBlock[], folder: string): string =>
  STOP_ALL +
  blocks
    .map((block) => {
      const { place, commands } = block;
      const filled = commandOf(block, filledIn(block, folder));
      checkPaths(place, filled, folder);
      const refused = REFUSED.some((pattern) => pattern.test(commands));
      const run = refused ? `( set +e\n${filled}\ntrue )` : filled;
      return `echo; echo '@@ ${place}'\n${run}`;
    })
    .join('\n');

const python = pythonOfTests();
const isRun = ({ commands, language }: CommandBlock): boolean =>
  !NOT_RUN.some(({ having }) => having.test(commands)) && (language !== 'python' || python !== null);
const needsSpeech = ({ commands }: CommandBlock): boolean => /\.wav|flite/.test(commands);

const needsGo = ({ commands }: CommandBlock): boolean => /\bgo build\b/.test(commands);

const go = spawnSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' });
const hasGo = go.status === 0;
const hears = await speechEngineIsHere();
if (!hears && process.env.CI) throw new Error('the documents need the speech engines: npm run setup');
const pages = commandPages()
  .filter(({ file }) => RUN_BY[file] === undefined)
  .map(({ file, blocks }) => ({ file, blocks: blocks.filter(isRun) }));

describe('every command and program of the documents works', () => {
  for (const { file, blocks } of pages.filter((page) => page.blocks.length > 0)) {
    const lacks = !hears && blocks.some(needsSpeech) ? 'the speech engines' : !hasGo && blocks.some(needsGo) ? 'go' : null;
    // The first build of a Go program compiles the standard library.
    const timeout = blocks.some(needsGo) ? 300_000 : 120_000;
    test.skipIf(lacks !== null)(`${file}${lacks === null ? '' : ` (skipped: needs ${lacks})`}`, { timeout }, async () => {
      const { folder, path } = readersFolder();
      if (blocks.some(needsSpeech)) {
        const wav = await speech([[{ text: 'hello world. this is a test.' }]]);
        for (const file of ['call.wav', 'hello.wav']) writeFileSync(join(folder, file), wav);
        receiver.answer('/call.wav', (_, response) => response.writeHead(200, { 'content-type': 'audio/wav' }).end(wav));
      }
      // Without SHLVL a shell whose input is a socket behaves like a remote login.
      // The MongoDB of the tests is built with -trimpath, too: CI compiles the standard library of Go once for both.
      const ofGo = hasGo && { GOCACHE: go.stdout.trim(), GOFLAGS: '-trimpath' };
      const ofPython = { PYTHON: python ?? '', PYTHONPATH: resolve('clients/python/src') };
      const environment = { PATH: path, HOME: folder, DATA_DIR: server.dataDir, SHLVL: '2', ...ofPython, ...ofGo };
      const ran = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', scriptOf(blocks, folder)], {
        cwd: folder,
        env: environment,
      }).catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`a command failed; the last block begun is the one\n${error.stdout.slice(-1_500)}\n${error.stderr.slice(-1_500)}`);
      });
      const outputs = new Map(ran.stdout.split('\n@@ ').map((text) => [text.slice(0, text.indexOf('\n')), text]));
      for (const { place, commands } of blocks)
        for (const { of, says } of TELLING)
          if (commands.includes(of)) expect([place, outputs.get(place)]).toEqual([place, expect.stringMatching(says)]);
    });
  }
});

test('npx finds the command line in the clone, as the guide says', { timeout: 120_000 }, async () => {
  const { blocks } = commandPages().find(({ file }) => file === 'docs/guides/processors.md') ?? { blocks: [] };
  const block = blocks.find(({ commands }) => commands.includes('init --lang python redact'));
  const folder = join(temporaryDirectory(), 'redact');
  const commands = block?.commands.replace('python redact', `python ${folder}`).replace('API_KEY=...', 'API_KEY=x');
  // A command that is not here must fail, not come from a registry.
  const env = { ...process.env, npm_config_offline: 'true' };
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands ?? 'exit 1'], { env });
  expect(stdout).toContain(`Wrote a python processor into ${folder}.`);
});

test('every command listed as skipped, refused or with checked output is still in the documents', () => {
  const all = commandPages().flatMap(({ blocks }) => blocks.map(({ commands }) => commands));
  for (const { having, because } of NOT_RUN) expect([because, all.some((commands) => having.test(commands))]).toEqual([because, true]);
  for (const pattern of REFUSED) expect([pattern, all.some((commands) => pattern.test(commands))]).toEqual([pattern, true]);
  for (const [page, test] of Object.entries(RUN_BY)) expect([page, test].filter((file) => !existsSync(file))).toEqual([]);
  for (const { of } of TELLING) expect([of, all.some((commands) => commands.includes(of))]).toEqual([of, true]);
});
