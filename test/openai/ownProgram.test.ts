import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_KEY, type RunningServer, startServer } from '../e2e/server.ts';
import { type StubEngine, startStubEngine } from '../fakes/engineServer.ts';
import { pythonOfTests, run } from '../python/venv.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { HEARD, TEXT, wav } from './speechStub.ts';

const guide = readFileSync('docs/guides/your-own-program.md', 'utf8');
/** The example of a section. */
const example = (section: string): string =>
  new RegExp(`^## ${section}\\n[\\s\\S]*?^\`\`\`\\w+\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide)?.[1] ?? '';
const python = pythonOfTests() ?? '';

/** In the package, so that the example imports it by name, like a user's code. */
const PACKAGE = 'clients/typescript/dist/guide';

describe('the task in the guide', () => {
  let engine: StubEngine;
  let server: RunningServer;
  let env: Record<string, string>;
  beforeAll(async () => {
    engine = await startStubEngine();
    engine.always({ body: HEARD });
    server = await startServer({ environment: { TRANSCRIBER_URL: engine.url } });
    env = { TRIBUTARY_URL: server.url, API_KEY: ADMIN_KEY };
  });
  afterAll(async () => {
    rmSync(PACKAGE, { recursive: true, force: true });
    await Promise.all([server.kill(), engine.close()]);
  });

  const folder = (): string => {
    const made = temporaryDirectory();
    writeFileSync(join(made, 'hello.wav'), wav());
    return made;
  };
  const printed = async (command: string, args: readonly string[], more: Record<string, string> = {}): Promise<string> => {
    const { code, output } = await run(command, args, { cwd: folder(), env: { ...env, ...more } });
    expect(code, output).toBe(0);
    return output.trim();
  };

  test('can be done with curl', async () => {
    expect(await printed('bash', ['-c', example('curl')])).toBe(TEXT);
  });

  test('can be done in TypeScript', async () => {
    const { code } = await transform(example('TypeScript'), { loader: 'ts', format: 'esm' });
    mkdirSync(PACKAGE, { recursive: true });
    const file = resolve(PACKAGE, 'example.mjs');
    writeFileSync(file, code);
    expect(await printed(process.execPath, [file])).toBe(TEXT);
  });

  test.skipIf(python === '')('can be done in Python', async () => {
    expect(await printed(python, ['-c', example('Python')], { PYTHONPATH: resolve('clients/python/src') })).toBe(TEXT);
  });

  test.skipIf(python === '')('can be done with the OpenAI client', async () => {
    expect(await printed(python, ['-c', example('OpenAI client')])).toBe(TEXT);
  });

  test('can be done with the requests of the n8n workflow', async () => {
    expect(await sentByWorkflow(server.url)).toBe(TEXT);
  });
});

interface Node {
  readonly name: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of a node are looked into as n8n does
  readonly parameters: any;
}

/** Sends the requests of the HTTP Request nodes, in the order of the connections, like n8n, which is not installed here. */
const sentByWorkflow = async (url: string): Promise<string> => {
  const { nodes, connections } = JSON.parse(readFileSync('docs/guides/transcribe.n8n.json', 'utf8'));
  const byName = new Map<string, Node>(nodes.map((node: Node) => [node.name, node]));
  let settings: Record<string, string> = {};
  let json: Record<string, string> = {};
  for (let name = 'Start'; ; name = connections[name].main[0][0].node) {
    const node = byName.get(name);
    if (!node) throw new Error(`the workflow has no node ${name}`);
    if (node.type === 'n8n-nodes-base.set')
      settings = Object.fromEntries(
        node.parameters.assignments.assignments.map((one: { name: string; value: string }) => [one.name, one.value]),
      );
    if (node.type === 'n8n-nodes-base.httpRequest') json = await sent(node, { ...settings, url }, json);
    if (!connections[name]) return json.text ?? '';
  }
};

const sent = async (
  { parameters }: Node,
  settings: Record<string, string>,
  json: Record<string, string>,
): Promise<Record<string, string>> => {
  const filled = (text: string): string =>
    text
      .replace(/^=/, '')
      .replaceAll(/\{\{ \$\('Settings'\)\.item\.json\.(\w+) \}\}/g, (_, name) => settings[name] ?? '')
      .replaceAll(/\{\{ \$json\.(\w+) \}\}/g, (_, name) => json[name] ?? '');
  const pairs = (given?: { parameters: { name: string; value: string }[] }): [string, string][] =>
    (given?.parameters ?? []).map(({ name, value }) => [name, filled(value)]);
  const query = new URLSearchParams(pairs(parameters.queryParameters));
  expect(parameters).toMatchObject({ authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' });
  const answer = await fetch(`${filled(parameters.url)}?${query}`, {
    method: parameters.method,
    headers: { authorization: `Basic ${ADMIN_KEY}`, ...Object.fromEntries(pairs(parameters.headerParameters)) },
    ...(parameters.contentType === 'binaryData' && { body: new Uint8Array(wav()) }),
  });
  expect(answer.status).toBe(200);
  const { responseFormat, outputPropertyName } = parameters.options.response?.response ?? {};
  const text = await answer.text();
  return responseFormat === 'text' ? { [outputPropertyName]: text } : JSON.parse(text);
};
