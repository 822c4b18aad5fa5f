import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Outputs } from '../../../../src/cli/transcribe/outputs.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

const read = (folder: string, ...names: string[]): string[] => names.map((name) => readFileSync(join(folder, name), 'utf8'));

test('a name is taken by a file, unless it has the content that would be written', () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'talk.txt'), 'text');
  const outputs = new Outputs(folder, ['txt', 'srt'], false);
  expect(outputs.areTaken('talk', null)).toBe(true);
  expect(outputs.areTaken('talk', [bytes('other'), bytes('captions')])).toBe(true);
  expect(outputs.areTaken('talk', [bytes('text'), bytes('captions')])).toBe(false);
  expect(outputs.areTaken('talk.mp3', null)).toBe(false);
  expect(new Outputs(folder, ['txt'], true).areTaken('talk', null)).toBe(false);
});

test('a name is taken by a folder', () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'talk.txt'));
  expect(new Outputs(folder, ['txt'], false).areTaken('talk', [bytes('text')])).toBe(true);
});

test('a name is not taken by a Word document of an interrupted run, although a new one would have another time in it', () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'talk.docx'), 'as of yesterday');
  expect(new Outputs(folder, ['docx'], false).areTaken('talk', [bytes('as of today')])).toBe(false);
});

test('each file that is replaced keeps a name of its own', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'talk.txt'), 'notes');
  writeFileSync(join(folder, 'talk.docx'), 'letter');
  for (const text of ['first', 'second', 'second'])
    await new Outputs(folder, ['txt', 'docx'], false).write('talk', [bytes(text), bytes(text)]);
  expect(read(folder, 'talk.txt', 'talk.txt~', 'talk.txt~2')).toEqual(['second', 'notes', 'first']);
  expect(read(folder, 'talk.docx', 'talk.docx~', 'talk.docx~2')).toEqual(['second', 'letter', 'first']);
});

test('a file is replaced without a trace if that is asked for', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'talk.txt'), 'former');
  await new Outputs(folder, ['txt'], true).write('talk', [bytes('text')]);
  expect(readdirSync(folder)).toEqual(['talk.txt']);
});

test('what an earlier run has written stays, and only missing files are written', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'talk.txt'), 'corrected');
  const outputs = new Outputs(folder, ['txt', 'srt'], false);
  outputs.keep();
  expect(outputs.areTaken('talk', null)).toBe(false);
  await outputs.write('talk', [bytes('text'), bytes('captions')]);
  expect(read(folder, 'talk.txt', 'talk.srt')).toEqual(['corrected', 'captions']);
});
