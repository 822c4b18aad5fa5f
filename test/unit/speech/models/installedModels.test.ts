import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseModel, installCommand } from '../../../../src/speech/models/chooseModel.ts';
import { installedModels, storedModels } from '../../../../src/speech/models/installedModels.ts';
import { RECORD_FILE } from '../../../../src/speech/models/modelName.ts';
import { parseModelRecord } from '../../../../src/speech/models/modelRecord.ts';
import { PUBLISHED_MODELS } from '../../../../src/speech/models/publishedModels.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { putModel } from './modelFolder.ts';

const noEnvironment = () => join(temporaryDirectory(), 'none');

describe('installed models', () => {
  test('are empty if the folder is missing', async () => {
    expect(await installedModels(join(temporaryDirectory(), 'models'), noEnvironment())).toEqual([]);
  });

  test('have name, engine, folder, languages, size, origin and files', async () => {
    const models = temporaryDirectory();
    const files = putModel(models, 'court', { 'model.bin': 'weights', 'config.json': '{}' }, 'many');
    expect(await installedModels(models, noEnvironment())).toEqual([
      { name: 'court', engine: 'whisper', folder: join(models, 'court'), languages: 'many', bytes: 9, origin: 'added', files },
    ]);
  });

  test.each([
    ['a file is missing', (folder: string) => rmSync(join(folder, 'model.bin'))],
    ['a file has another size', (folder: string) => writeFileSync(join(folder, 'model.bin'), 'weight')],
    ['the record is missing', (folder: string) => rmSync(join(folder, RECORD_FILE))],
    ['the record is not JSON', (folder: string) => writeFileSync(join(folder, RECORD_FILE), '{')],
    [
      'the record is of another model',
      (folder: string) => putModel(join(folder, '..'), 'court', { 'model.bin': 'weights' }, 'en', 'other'),
    ],
  ])('leave a model out when %s', async (_, damage) => {
    const models = temporaryDirectory();
    putModel(models, 'court', { 'model.bin': 'weights' });
    damage(join(models, 'court'));
    expect(await installedModels(models, noEnvironment())).toEqual([]);
    expect(await storedModels(models)).toMatchObject([{ name: 'court', state: 'damaged' }]);
  });

  test('do not include downloads in progress', async () => {
    const models = temporaryDirectory();
    mkdirSync(join(models, '.incoming/base'), { recursive: true });
    expect(await storedModels(models)).toEqual([]);
  });
});

describe('the choice of a model', () => {
  const model = (name: string, languages: 'en' | 'many' = 'many', engine: 'whisper' | 'moonshine' = 'whisper') =>
    ({ name, engine, folder: '/', languages, bytes: 1, origin: 'added', files: [] }) as const;
  const installed = [model('tiny.en', 'en'), model('court'), model('moonshine-tiny-en', 'en', 'moonshine')];

  test('prefers the named model', () => expect(chooseModel(installed, { named: 'court' })?.name).toBe('court'));
  test('is the first model without a name', () => expect(chooseModel(installed, { named: null })?.name).toBe('tiny.en'));
  test('skips English models for other languages', () =>
    expect(chooseModel(installed, { named: null, needsMultilingual: true })?.name).toBe('court'));
  test('is empty if the named model is not installed', () => expect(chooseModel(installed, { named: 'small' })).toBeNull());
  test('never includes the model of moonshine', () => expect(chooseModel(installed.slice(2), { named: null })).toBeNull());

  test('names the command that installs a model', () => {
    expect(installCommand(null)).toBe('npx tributary models pull base');
    expect(installCommand('small')).toBe('npx tributary models pull small');
    expect(installCommand('court')).toBe('npx tributary models add court FOLDER');
  });
});

describe('a model record', () => {
  const valid = { name: 'court', languages: 'en', files: [{ file: 'model.bin', bytes: 7, sha256: 'a'.repeat(64) }] };

  test('is accepted for the published models', () => {
    for (const model of PUBLISHED_MODELS) expect(parseModelRecord(model).files).toEqual(model.files);
  });

  test.each([
    [{ ...valid, name: '../court' }, 'name of a model'],
    [{ ...valid, name: '.hidden' }, 'name of a model'],
    [{ ...valid, languages: 'ro' }, 'languages'],
    [{ ...valid, files: [] }, 'files'],
    [{ ...valid, files: [{ ...valid.files[0], file: 'a/b' }] }, "name of a model's file"],
    [{ ...valid, files: [{ ...valid.files[0], file: '..' }] }, "name of a model's file"],
    [{ ...valid, files: [{ ...valid.files[0], file: RECORD_FILE }] }, "name of a model's file"],
    [{ ...valid, files: [{ ...valid.files[0], bytes: -1 }] }, 'bytes'],
    [{ ...valid, files: [{ ...valid.files[0], sha256: 'abc' }] }, 'sha256'],
    [{ ...valid, files: [valid.files[0], { ...valid.files[0], file: 'MODEL.bin' }] }, 'twice'],
  ])('rejects %j', (record, reason) => {
    expect(() => parseModelRecord(record)).toThrow(reason);
  });

  test('never leads to a path outside the folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', '\0', ' ', '%') }), (file) => {
        const record = { ...valid, files: [{ ...valid.files[0], file }] };
        let accepted: string | null = null;
        try {
          accepted = parseModelRecord(record).files[0]?.file ?? null;
        } catch {
          // Refused.
        }
        if (accepted !== null) expect(accepted).toMatch(/^[a-z][a-z.]*$/i);
      }),
    );
  });
});
