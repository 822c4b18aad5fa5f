import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeMiniatureWhisper, speechEnvironmentIsHere } from '../fakes/miniatureWhisper.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { PROGRAM } from './tributary.ts';

const run = (words: readonly string[], environment: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, [PROGRAM, 'models', ...words], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
    timeout: 60_000,
  });

/** Enough of a folder for the checks without the engine. */
const whisperFolder = (files: Readonly<Record<string, string>> = {}): string => {
  const folder = temporaryDirectory();
  const header = Buffer.concat([Buffer.from([6, 0, 0, 0, 12, 0]), Buffer.from('WhisperSpec\0'), Buffer.alloc(100)]);
  writeFileSync(join(folder, 'model.bin'), header);
  const all = { 'config.json': '{}', 'tokenizer.json': '{}', 'vocabulary.json': '["a", ""]', ...files };
  for (const [file, content] of Object.entries(all)) writeFileSync(join(folder, file), content);
  return folder;
};

describe('tributary models', () => {
  test('adds, lists, verifies and removes an own model', () => {
    const environment = { MODELS_DIR: join(temporaryDirectory(), 'models') };
    const added = run(['add', 'court', whisperFolder()], environment);
    expect([added.status, added.stdout]).toEqual([0, expect.stringContaining('Added court (multilingual')]);

    expect(run(['list'], environment).stdout).toMatch(/^court\s+whisper\s+99 languages/m);
    const listed = JSON.parse(run(['list', '--json'], environment).stdout)[0];
    expect(listed).toMatchObject({ name: 'court', engine: 'whisper', languages: 'many', origin: 'added', usedFor: 'recordings' });

    expect(run(['verify', 'court'], environment)).toMatchObject({ status: 0, stdout: 'court: every file is right\n' });
    writeFileSync(join(environment.MODELS_DIR, 'court/config.json'), '[]');
    const wrong = run(['verify'], environment);
    expect([wrong.status, wrong.stdout]).toEqual([1, expect.stringContaining('court: config.json has other bytes')]);

    expect(run(['remove', 'court'], environment)).toMatchObject({ status: 0, stdout: 'Removed court.\n' });
    expect(existsSync(join(environment.MODELS_DIR, 'court'))).toBe(false);
  });

  test('pulls a model by the manifest of another machine, and refuses a changed byte', () => {
    const [one, other] = [temporaryDirectory(), temporaryDirectory()];
    run(['add', 'court', whisperFolder()], { MODELS_DIR: one });
    const manifest = join(other, 'models.json');
    writeFileSync(manifest, run(['list', '--json'], { MODELS_DIR: one }).stdout);
    const environment = { MODELS_DIR: join(other, 'models'), MODELS_URL: one };
    expect(run(['pull', 'court', '--manifest', manifest], environment)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Installed court'),
    });
    run(['remove', 'court'], environment);

    writeFileSync(join(one, 'court/tokenizer.json'), '[]');
    const refused = run(['pull', 'court', '--manifest', manifest], environment);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('tokenizer.json from')]);
    expect(run(['list', '--json'], environment).stdout).not.toContain('"court"');
  });

  test.each([
    [['pull', 'grand'], 1, 'grand is not a published model: those are base, small, tiny.en'],
    [['pull', '../base'], 2, 'cannot be the name of a model'],
    [['add', 'a/b', '.'], 2, 'cannot be the name of a model'],
    [['remove', 'court'], 1, 'The model court is not installed'],
    [['verify', 'court'], 1, 'The model court is not installed'],
    [['remove', 'moonshine-tiny-en'], 1, 'part of the Python package'],
    [['pull', 'court', '--manifest', '/nowhere.json'], 1, 'The manifest /nowhere.json cannot be used'],
  ])('answers %j with exit code %d and the reason', (words, status, reason) => {
    const done = run(words, { MODELS_DIR: temporaryDirectory() });
    expect([done.status, done.stderr]).toEqual([status, expect.stringContaining(reason)]);
  });

  test.each([
    ['no tokenizer', (folder: string) => rmSync(join(folder, 'tokenizer.json')), 'has no tokenizer.json'],
    ['no vocabulary', (folder: string) => rmSync(join(folder, 'vocabulary.json')), 'has no vocabulary.json or vocabulary.txt'],
    [
      'other weights',
      (folder: string) => writeFileSync(join(folder, 'model.bin'), 'GGUF'),
      "is not a Whisper model in CTranslate2's format",
    ],
    ['a broken config', (folder: string) => writeFileSync(join(folder, 'config.json'), '{'), 'config.json is not JSON'],
  ])('does not add a folder with %s', (_, spoil, reason) => {
    const folder = whisperFolder();
    spoil(folder);
    const environment = { MODELS_DIR: temporaryDirectory() };
    const refused = run(['add', 'court', folder], environment);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(reason)]);
    expect(run(['list', '--json'], environment).stdout).not.toContain('court');
  });

  test('says how to convert a model of Transformers', () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'model.safetensors'), '');
    expect(run(['add', 'court', folder], { MODELS_DIR: temporaryDirectory() }).stderr).toContain('ct2-transformers-converter');
  });

  test('reserves the names of published models for their files', () => {
    const refused = run(['add', 'base', whisperFolder()], { MODELS_DIR: temporaryDirectory() });
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('base is the name of a published model, and model.bin is not the published one'),
    ]);
  });

  test('copies the target of a link', () => {
    const folder = whisperFolder();
    const linked = temporaryDirectory();
    for (const file of ['model.bin', 'config.json', 'tokenizer.json', 'vocabulary.json'])
      symlinkSync(join(folder, file), join(linked, file));
    const environment = { MODELS_DIR: temporaryDirectory() };
    expect(run(['add', 'court', linked], environment).status).toBe(0);
    rmSync(folder, { recursive: true });
    expect(run(['verify', 'court'], environment).status).toBe(0);
  });
});

describe.skipIf(!speechEnvironmentIsHere())('with the engines installed', () => {
  test('adds a real model in CTranslate2’s format and finds its languages', async () => {
    const environment = { MODELS_DIR: temporaryDirectory() };
    const miniature = join(temporaryDirectory(), 'miniature');
    await makeMiniatureWhisper(miniature);
    expect(run(['add', 'miniature', miniature], environment).stdout).toContain('Added miniature (multilingual');
    const english = join(temporaryDirectory(), 'english');
    await makeMiniatureWhisper(english, 'en');
    expect(run(['add', 'english', english], environment).stdout).toContain('Added english (English');
  });

  test('lists and verifies the model of moonshine', () => {
    const environment = { MODELS_DIR: temporaryDirectory() };
    expect(run(['list'], environment).stdout).toMatch(
      /^moonshine-tiny-en\s+moonshine\s+English\s+44 MB\s+packaged\s+recordings and live audio/m,
    );
    expect(run(['verify', 'moonshine-tiny-en'], environment)).toMatchObject({
      status: 0,
      stdout: 'moonshine-tiny-en: every file is right\n',
    });
  });
});
