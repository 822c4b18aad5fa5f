import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { installedModels } from '../../../../src/speech/models/installedModels.ts';
import type { ModelRecord } from '../../../../src/speech/models/modelRecord.ts';
import { pullModel } from '../../../../src/speech/models/pullModel.ts';
import { ModelServer } from '../../../fakes/modelServer.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { fileOf } from './modelFolder.ts';

const WEIGHTS = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 251));
const COURT: ModelRecord = { name: 'court', languages: 'many', files: [fileOf('model.bin', WEIGHTS), fileOf('config.json', '{}')] };

let server: ModelServer;
let modelsDir: string;
beforeEach(async () => {
  server = await ModelServer.start();
  onTestFinished(() => server.close());
  server.files.set('court/model.bin', WEIGHTS);
  server.files.set('court/config.json', Buffer.from('{}'));
  modelsDir = join(temporaryDirectory(), 'models');
});

const pull = (modelsUrl: string | null = server.url, seen: number[] = []) =>
  pullModel(COURT, { modelsDir, modelsUrl, onProgress: (bytes) => seen.push(bytes) });
/** As `pull`, on a connection that breaks once the server's first bytes are on the disk. */
const pullWithCut = () => pullModel(COURT, { modelsDir, modelsUrl: server.url, onProgress: () => server.cut() });
const names = async () => (await installedModels(modelsDir, modelsDir)).map(({ name }) => name);

describe('pull', () => {
  test('installs a model from MODELS_URL and reports progress up to its size', async () => {
    const seen: number[] = [];
    expect(await pull(server.url, seen)).toBe('installed');
    expect(seen.at(-1)).toBe(WEIGHTS.length + 2);
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
    expect(readFileSync(join(modelsDir, 'court/model.bin'))).toEqual(WEIGHTS);
    expect(await names()).toEqual(['court']);
  });

  test('installs a model from a folder', async () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'court'));
    writeFileSync(join(folder, 'court/model.bin'), WEIGHTS);
    writeFileSync(join(folder, 'court/config.json'), '{}');
    expect(await pull(folder)).toBe('installed');
    expect(await names()).toEqual(['court']);
  });

  test('does nothing if the model is installed and intact, and repairs a changed byte', async () => {
    await pull();
    const asked = server.requests.length;
    expect(await pull()).toBe('present');
    expect(server.requests.length).toBe(asked);
    writeFileSync(join(modelsDir, 'court/model.bin'), Buffer.from(WEIGHTS).fill(1, 500, 501));
    expect(await pull()).toBe('installed');
    expect(readFileSync(join(modelsDir, 'court/model.bin'))).toEqual(WEIGHTS);
  });

  test('resumes after a cut connection', async () => {
    server.faults.set('court/model.bin', [{ holdAfter: 60_000 }]);
    expect(await pullWithCut()).toBe('installed');
    expect(server.requests[0]).toBe('court/model.bin whole');
    expect(server.requests[1]).toMatch(/^court\/model.bin bytes=[1-9]\d*-$/);
  });

  test('follows redirects of the hub, and resumes through them', async () => {
    server.files.set('elsewhere/weights', WEIGHTS);
    server.faults.set('court/model.bin', [{ redirectTo: '/elsewhere/weights' }, { redirectTo: '/elsewhere/weights' }]);
    server.faults.set('elsewhere/weights', [{ holdAfter: 60_000 }]);
    expect(await pullWithCut()).toBe('installed');
    expect(server.requests[3]).toMatch(/^elsewhere\/weights bytes=[1-9]\d*-$/);
  });

  test('keeps the part of a failed download and continues it the next time', async () => {
    server.faults.set('court/model.bin', [{ holdAfter: 60_000 }, { status: 503 }]);
    await expect(pullWithCut()).rejects.toThrow(/Could not download court: .*503/);
    expect(await names()).toEqual([]);
    expect(await pull()).toBe('installed');
    expect(server.requests.at(-2)).toMatch(/^court\/model.bin bytes=[1-9]\d*-$/);
  });

  test('starts over if the part on disk is of another file', async () => {
    mkdirSync(join(modelsDir, '.incoming/court'), { recursive: true });
    writeFileSync(join(modelsDir, '.incoming/court/model.bin'), 'something else');
    expect(await pull()).toBe('installed');
    expect(readFileSync(join(modelsDir, 'court/model.bin'))).toEqual(WEIGHTS);
  });

  test('stops if a source cuts every connection', async () => {
    server.faults.set('court/model.bin', Array(5).fill({ cut: true }));
    await expect(pull()).rejects.toThrow('Could not download court');
    expect(existsSync(join(modelsDir, 'court'))).toBe(false);
  });

  test('refuses a changed byte, names the file, and installs nothing', async () => {
    server.files.set('court/config.json', Buffer.from('[]'));
    await expect(pull()).rejects.toThrow(/config\.json from http.* is not the file of the model court: its SHA-256 is [0-9a-f]{64}/);
    expect(existsSync(join(modelsDir, 'court'))).toBe(false);
    expect(readdirSync(join(modelsDir, '.incoming/court'))).toEqual(['model.bin']);
  });

  test('keeps the installed model if its replacement is damaged', async () => {
    await pull();
    writeFileSync(join(modelsDir, 'court/config.json'), '[]');
    server.files.set('court/config.json', Buffer.from('()'));
    await expect(pull()).rejects.toThrow('config.json');
    expect(readFileSync(join(modelsDir, 'court/config.json'), 'utf8')).toBe('[]');
  });

  test("stops if a source sends more than the file's size", async () => {
    server.faults.set('court/model.bin', [{ endless: true }]);
    await expect(pull()).rejects.toThrow(`model.bin from ${server.url} is larger than the 100000 bytes`);
    expect(readdirSync(join(modelsDir, '.incoming/court'))).toEqual([]);
  });

  test('names a file that is missing at the source', async () => {
    server.files.delete('court/config.json');
    await expect(pull()).rejects.toThrow('court/config.json answered 404');
    expect(await names()).toEqual([]);
  });

  test('says in one line that a source cannot be reached', async () => {
    const { url } = server;
    await server.close();
    await expect(pull(url)).rejects.toThrow(/^Could not download court: 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\..*$/);
  });

  test('names the file that does not fit on a full disk, and does not blame the source', async () => {
    const incoming = join(modelsDir, '.incoming/court');
    mkdirSync(incoming, { recursive: true });
    symlinkSync('/dev/full', join(incoming, 'model.bin'));
    await expect(pull()).rejects.toMatchObject({
      name: 'ModelError',
      message: expect.stringMatching(/^Cannot write .*\/model\.bin: ENOSPC: .*\. Free disk space or set MODELS_DIR to another folder/),
    });
    expect(server.requests).toEqual(['court/model.bin whole']);
  });

  test('needs MODELS_URL for an unpublished model', async () => {
    await expect(pull(null)).rejects.toThrow('Set MODELS_URL');
  });
});
