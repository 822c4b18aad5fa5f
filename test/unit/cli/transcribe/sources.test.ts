import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordingsIn, sourcesOf } from '../../../../src/cli/transcribe/sources.ts';
import { watchedFolders } from '../../../../src/cli/transcribe/watch.ts';
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

  test('gives linked recordings and those in linked folders, each folder once', async () => {
    const folder = folderWith('in/a.wav', 'in/sub/deep/s.wav', 'other/b.wav', 'other/deep/c.wav');
    symlinkSync(join(folder, 'other/b.wav'), join(folder, 'in/linked.wav'));
    symlinkSync(join(folder, 'other'), join(folder, 'in/link'));
    symlinkSync(join(folder, 'other'), join(folder, 'in/second link'));
    // Before the folder itself in the order of names.
    symlinkSync(join(folder, 'in/sub'), join(folder, 'in/also sub'));
    expect(await found(folder, 'in')).toEqual([
      ['in/a.wav', ''],
      ['in/linked.wav', ''],
      ['in/sub/deep/s.wav', 'sub/deep'],
      ['in/link/b.wav', 'link'],
      ['in/link/deep/c.wav', 'link/deep'],
    ]);
  });

  test('ends at links that lead back', async () => {
    const folder = folderWith('in/a.wav', 'in/sub/b.wav');
    symlinkSync(join(folder, 'in'), join(folder, 'in/loop'));
    symlinkSync(join(folder, 'in'), join(folder, 'in/sub/up'));
    symlinkSync('nowhere', join(folder, 'in/broken'));
    expect(await found(folder, 'in')).toEqual([
      ['in/a.wav', ''],
      ['in/sub/b.wav', 'sub'],
    ]);
  });

  test('leaves out folders by what they are, not by their names', async () => {
    const folder = folderWith('in/a.wav', 'done/b.wav');
    symlinkSync(join(folder, 'done'), join(folder, 'in/link'));
    const sources = await recordingsIn(join(folder, 'in'), [join(folder, 'done'), join(folder, 'not there yet')]);
    expect(sources.map(({ path }) => path)).toEqual([join(folder, 'in/a.wav')]);
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

  test('are refused with --watch if one is not a folder', async () => {
    const folder = folderWith('a.wav');
    expect(await watchedFolders([folder])).toEqual([folder]);
    await expect(watchedFolders([folder, join(folder, 'a.wav')])).rejects.toThrow('a.wav is not a folder.');
  });
});
