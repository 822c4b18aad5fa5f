import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Outputs } from '../../../../src/cli/transcribe/outputs.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

test('a file that is there is in the way, unless it has the content that would be written', () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'talk.txt'), 'text');
  const outputs = new Outputs(folder, ['txt', 'srt'], false);
  expect(outputs.inTheWay('talk', null)).toBe(join(folder, 'talk.txt'));
  expect(outputs.inTheWay('talk', [bytes('other'), bytes('captions')])).toBe(join(folder, 'talk.txt'));
  expect(outputs.inTheWay('talk', [bytes('text'), bytes('captions')])).toBeUndefined();
  expect(outputs.inTheWay('talk.mp3', null)).toBeUndefined();
  expect(new Outputs(folder, ['txt'], true).inTheWay('talk', null)).toBeUndefined();
});

test('a folder of the name of an output is in the way', () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'talk.txt'));
  expect(new Outputs(folder, ['txt'], false).inTheWay('talk', [bytes('text')])).toBe(join(folder, 'talk.txt'));
});

test('a Word document of an interrupted run is kept, although a new one would have another time in it', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'talk.docx'), 'as of yesterday');
  const outputs = new Outputs(folder, ['docx', 'txt'], false);
  expect(outputs.inTheWay('talk', [bytes('as of today'), bytes('text')])).toBeUndefined();
  await outputs.write('talk', [bytes('as of today'), bytes('text')]);
  expect(['docx', 'txt'].map((ending) => readFileSync(join(folder, `talk.${ending}`), 'utf8'))).toEqual(['as of yesterday', 'text']);
});

test('what an earlier run has written stays, and only missing files are written', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'talk.txt'), 'corrected');
  const outputs = new Outputs(folder, ['txt', 'srt'], false);
  outputs.keep();
  expect(outputs.inTheWay('talk', null)).toBeUndefined();
  await outputs.write('talk', [bytes('text'), bytes('captions')]);
  expect(['txt', 'srt'].map((ending) => readFileSync(join(folder, `talk.${ending}`), 'utf8'))).toEqual(['corrected', 'captions']);
});
