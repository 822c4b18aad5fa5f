import { describe, expect, test } from 'vitest';
import { Names, placeOf } from '../../../../src/cli/transcribe/names.ts';
import type { Source } from '../../../../src/cli/transcribe/sources.ts';

const file = (path: string, below = ''): Source => ({ kind: 'file', shown: path, path, below });
const link = (url: string): Source => ({ kind: 'link', shown: url, url });
const NOTHING = { taken: () => false };

const claimed = (names: Names, source: Source, output: string | null = null): string => {
  const place = placeOf(source, output);
  return `${place.folder}/${names.claim(source.shown, place, NOTHING)}`;
};

describe('outputs', () => {
  test('lie beside the recording, or under --output with the sub-folders of the folder that was given', () => {
    expect(claimed(new Names(), file('/calls/2026/talk.mp3', '2026'))).toBe('/calls/2026/talk');
    expect(claimed(new Names(), file('/calls/2026/talk.mp3', '2026'), '/texts')).toBe('/texts/2026/talk');
    expect(claimed(new Names(), file('/calls/2026/talk.mp3'), '/texts')).toBe('/texts/talk');
  });

  test('keep the ending where two sources would share a name, and get a number where that is taken too', () => {
    const names = new Names();
    const sources = ['/a/talk.mp3', '/b/talk.wav', '/c/Talk.wav', '/d/talk.wav'].map((path) => file(path));
    expect(sources.map((source) => claimed(names, source, '/texts'))).toEqual([
      '/texts/talk',
      '/texts/talk.wav',
      '/texts/Talk.wav.2',
      '/texts/talk.wav.3',
    ]);
  });

  test('keep their name when they are asked for again', () => {
    const names = new Names();
    claimed(names, file('/a/talk.mp3'));
    expect([1, 2].map(() => claimed(names, file('/a/talk.wav')))).toEqual(['/a/talk.wav', '/a/talk.wav']);
  });

  test('of a file whose name was released go where the next file may not write', () => {
    const names = new Names();
    claimed(names, file('/a/talk.mp3'));
    names.release('/a/talk.mp3');
    expect(names.claim('/a/talk.mp3', placeOf(file('/a/talk.mp3'), null), { taken: (name) => name === 'talk' })).toBe('talk.mp3');
  });

  test('of an earlier run keep the name that they had, though it is taken', () => {
    const place = placeOf(file('/a/talk.wav'), null);
    expect(new Names().claim('/a/talk.wav', place, { wanted: 'talk.wav', taken: () => true })).toBe('talk.wav');
  });

  test.each([
    ['https://example.org/a/episode%201.mp3?x=1', 'episode 1'],
    ['https://example.org/a/b/', 'b'],
    ['https://example.org', 'example'],
    ['https://example.org/..%2F..%2Ftalk.mp3', '_.._talk'],
  ])('of the link %s are named %s', (url, stem) => {
    expect(placeOf(link(url), '/texts')).toMatchObject({ folder: '/texts', stem });
  });
});
