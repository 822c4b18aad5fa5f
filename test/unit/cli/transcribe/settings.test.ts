import { describe, expect, test } from 'vitest';
import { checkOptions, commonSettings, remoteOf, type TranscribeOptions, uploadKey } from '../../../../src/cli/transcribe/settings.ts';
import { transcribeCommand, withBareOptions } from '../../../../src/cli/transcribe/transcribeCommand.ts';

const OPTIONS: TranscribeOptions = { format: ['txt'], set: [], label: [], jobs: 4 };

describe('the settings of streams', () => {
  test('are those of the template transcribe, and spare results for a week', () => {
    expect(commonSettings(OPTIONS)).toEqual({ template: 'transcribe', patches: {}, labels: [], keepFor: 'P7D' });
  });

  test('come from the options', () => {
    const set = [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ] as const;
    expect(commonSettings({ ...OPTIONS, speakers: 2, summary: true, language: 'de', set, keep: true })).toEqual({
      template: 'diarize',
      patches: { language: 'de', speakersNumber: 2, summary: true, a: ['1', '3'], b: '2' },
      labels: [],
      persist: true,
    });
    expect(commonSettings({ ...OPTIONS, keep: 'P30D' })).toMatchObject({ keepFor: 'P30D' });
  });

  test('give the same key for the same content, in any order of their properties', () => {
    const key = (set: TranscribeOptions['set'], content = 'x', attempt = 1) =>
      uploadKey(content, commonSettings({ ...OPTIONS, set }), attempt);
    const one = key([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(
      key([
        ['b', '2'],
        ['a', '1'],
      ]),
    ).toBe(one);
    expect(new Set([one, key([['a', '1']]), key([], 'y'), key([], 'y', 2)]).size).toBe(4);
  });
});

test.each<[Partial<TranscribeOptions>, string[], string]>([
  [{ stdout: true, output: 'x' }, ['a'], '--output'],
  [{ stdout: true, format: ['txt', 'srt'] }, ['a'], 'one format'],
  [{ json: true }, ['-'], '--json'],
  [{ speakers: true, template: 'x' }, ['a'], '--template'],
  [{ done: 'x' }, ['a'], '--watch'],
  [{ watch: true, force: true }, ['a'], '--force'],
  [{}, ['-', 'a'], 'goes alone'],
])('refuses %j with %j', (options, words, reason) => {
  expect(() => checkOptions({ ...OPTIONS, ...options }, words)).toThrow(reason);
});

test.each([
  ['--jobs', '0', 'whole number'],
  ['--set', 'summary', 'key=value'],
])('refuses %s %s', (option, value, reason) => {
  const command = transcribeCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  expect(() => command.parse(['talk.wav', option, value], { from: 'user' })).toThrow(reason);
});

describe('the server', () => {
  test('is that of the options, then that of the environment, then none', () => {
    const env = { TRIBUTARY_URL: 'http://a', TRIBUTARY_API_KEY: 'k' };
    expect(remoteOf({ ...OPTIONS, server: 'http://b' }, env)).toEqual({ url: 'http://b', key: 'k' });
    expect(remoteOf({ ...OPTIONS, key: 'own' }, env)).toEqual({ url: 'http://a', key: 'own' });
    expect(remoteOf(OPTIONS, { TRIBUTARY_API_KEY: 'k' })).toBeNull();
  });

  test('needs a URL and a key', () => {
    expect(() => remoteOf({ ...OPTIONS, server: 'example.org' }, {})).toThrow('not the URL');
    expect(() => remoteOf({ ...OPTIONS, server: 'http://b' }, {})).toThrow('TRIBUTARY_API_KEY');
  });
});

test('takes the value of --speakers and --keep only after an equals sign', () => {
  expect(withBareOptions(['transcribe', '--speakers', 'a.mp3', '--keep=P1D', '--', '--keep'])).toEqual([
    ...['transcribe', '--speakers=', 'a.mp3', '--keep=P1D', '--', '--keep'],
  ]);
});
