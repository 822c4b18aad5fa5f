import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourcesOf } from '../../../../src/cli/transcribe/sources.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';

const folderWith = (...paths: readonly string[]): string => {
  const folder = temporaryDirectory();
  for (const path of paths) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  return folder;
};

/** Paths below the folder, with the sub-folder that is kept. */
const found = async (folder: string, ...words: readonly string[]): Promise<string[][]> => {
  const sources = await sourcesOf(words.map((word) => join(folder, word)));
  return sources.map((source) => (source.kind === 'file' ? [source.path.slice(folder.length + 1), source.below] : [source.shown]));
};

describe('a folder', () => {
  test('gives the recordings in it and below, in order, without other and hidden files', async () => {
    const folder = folderWith('b.wav', 'a.MP3', 'notes.txt', '._a.mp3', '.git/x.wav', 'sub/deep/c.m4a');
    expect(await found(folder, '.')).toEqual([
      ['a.MP3', ''],
      ['b.wav', ''],
      ['sub/deep/c.m4a', 'sub/deep'],
    ]);
  });

  test('gives a linked recording, and does not follow linked folders', async () => {
    const folder = folderWith('in/a.wav', 'other/b.wav');
    symlinkSync(join(folder, 'other/b.wav'), join(folder, 'in/linked.wav'));
    symlinkSync(join(folder, 'in'), join(folder, 'in/loop'));
    expect(await found(folder, 'in')).toEqual([
      ['in/a.wav', ''],
      ['in/linked.wav', ''],
    ]);
  });
});

describe('words of the command', () => {
  test('name each recording once, whatever its ending is', async () => {
    const folder = folderWith('a.wav', 'strange.bin');
    expect(await found(folder, 'a.wav', 'strange.bin', '.')).toEqual([
      ['a.wav', ''],
      ['strange.bin', ''],
    ]);
  });

  test('may be patterns, which keep the sub-folders below their first wildcard', async () => {
    const folder = folderWith('calls/a.wav', 'calls/x/b.wav', 'calls/x/b.txt', 'talks/c.wav');
    expect(await found(folder, 'calls/**/*')).toEqual([
      ['calls/a.wav', ''],
      ['calls/x/b.wav', 'x'],
    ]);
  });

  test('leave out the text of a recording that is named too, and keep other texts', async () => {
    const folder = folderWith('talk.mp3', 'talk.txt', 'letter.txt');
    expect(await found(folder, 'letter.txt', 'talk.mp3', 'talk.txt')).toEqual([
      ['letter.txt', ''],
      ['talk.mp3', ''],
    ]);
  });

  test('are refused if nothing is there', async () => {
    const folder = folderWith('a.wav');
    await expect(sourcesOf([join(folder, 'b.wav')])).rejects.toThrow('b.wav does not exist.');
    await expect(sourcesOf([join(folder, '*.mp3')])).rejects.toThrow('No recording matches');
    await expect(sourcesOf(['http://'])).rejects.toThrow('not a valid link');
  });
});
