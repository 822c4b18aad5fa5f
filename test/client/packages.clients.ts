import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_KEY, type RunningServer, startServer } from '../e2e/server.ts';
import { pythonOfTests, run } from '../python/venv.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';

const firstExample = (readme: string, language: string): string => {
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readFileSync(readme, 'utf8'))?.[1];
  if (code === undefined) throw new Error(`${readme} has no example in ${language}`);
  return code;
};

describe('a client installed from its package into an empty folder', () => {
  let server: RunningServer;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startServer();
    env = { TRIBUTARY_URL: server.url, API_KEY: ADMIN_KEY };
  });
  afterAll(() => server.kill());

  const done = async (command: string, args: readonly string[], options: Parameters<typeof run>[2] = {}): Promise<string> => {
    const { code, output } = await run(command, args, options);
    expect(code, `${command} ${args.join(' ')}\n${output}`).toBe(0);
    return output;
  };

  test('works in TypeScript', { timeout: 120_000 }, async () => {
    const folder = temporaryDirectory();
    await done('npm', ['pack', '--pack-destination', folder], { cwd: 'clients/typescript' });
    const [archive = ''] = readdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    await done('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', `./${archive}`], { cwd: folder });
    const { code } = await transform(firstExample('clients/typescript/README.md', 'ts'), { loader: 'ts', format: 'esm' });
    writeFileSync(join(folder, 'example.mjs'), code);
    expect(await done(process.execPath, ['example.mjs'], { cwd: folder, env })).toContain('COMPLETED');
    const packed = readdirSync(join(folder, 'node_modules/@tributary/client'));
    expect(packed.toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  test.skipIf(pythonOfTests() === null)('works in Python', { timeout: 180_000 }, async () => {
    const folder = temporaryDirectory();
    await done('python3', ['-m', 'venv', join(folder, 'clean')]);
    const bin = join(folder, 'clean/bin');
    // As the README says, in the clone with the environment active.
    await done('sh', ['-ec', firstExample('clients/python/README.md', 'sh')], { env: { PATH: `${bin}:${process.env.PATH}` } });
    const example = firstExample('clients/python/README.md', 'python');
    expect(await done(join(bin, 'python'), ['-c', example], { cwd: folder, env })).toContain('COMPLETED');
  });
});
