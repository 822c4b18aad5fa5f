import { expect, test } from 'vitest';
import { BUILTIN_TEMPLATES } from '../../../../src/domain/templates/builtinTemplates.ts';
import { DEFAULT_SETTINGS, longestPause, sessionShown, updatedSettings } from '../../../../src/http/openai/realtime/sessionSettings.ts';
import type { Json } from '../../../../src/json.ts';

const [processor] = BUILTIN_TEMPLATES.flatMap(({ processors }) => processors);
if (!processor) throw new Error('no template is built in');
const pauseOf = (...silences: Json[]) =>
  longestPause({ processors: silences.map((utteranceEndSilence) => ({ ...processor, properties: { utteranceEndSilence } })) });

test('the pause after a commit is the longest of the template, and at least a second', () => {
  expect([pauseOf(), pauseOf(200), pauseOf(1_500, 4_000)]).toEqual([1_000, 1_000, 4_000]);
});

test("the pause after a commit is at most a minute, whatever a user's own processor allows", () => {
  expect([pauseOf(20_000_000), pauseOf('Infinity'), pauseOf(-5)]).toEqual([60_000, 1_000, 1_000]);
});

test('reads enum values in any case, and accepts those that no engine follows', () => {
  const input = { format: { type: 'AUDIO/PCMU' }, noise_reduction: { type: 'Near_Field' }, turn_detection: { type: 'SEMANTIC_VAD' } };
  const include = ['item.input_audio_transcription.logprobs'];
  expect(updatedSettings(DEFAULT_SETTINGS, { type: 'Transcription', include, audio: { input } })).toMatchObject({
    ...{ format: 'audio/pcmu', turnDetection: { eagerness: 'auto' } },
  });
  expect(updatedSettings(DEFAULT_SETTINGS, { audio: { input: { noise_reduction: { strength: 0.5 } } } })).toEqual(DEFAULT_SETTINGS);
  const older = { input_audio_format: 'PCM16', input_audio_noise_reduction: null, include: null };
  expect(updatedSettings(DEFAULT_SETTINGS, older)).toEqual(DEFAULT_SETTINGS);
});

test('takes keywords and candidate languages, and refuses those that are too long or no texts', () => {
  const updated = (transcription: Record<string, Json>) => updatedSettings(DEFAULT_SETTINGS, { audio: { input: { transcription } } });
  const settings = updated({ keywords: ['Zürich', ' ', 'Anna'], languages: ['DE', 'fr'] });
  expect(settings).toMatchObject({ keywords: ['Zürich', 'Anna'], languages: ['de', 'fr'] });
  // A client secret keeps its settings as they are shown.
  expect(updatedSettings(DEFAULT_SETTINGS, sessionShown('s', settings) as Json)).toEqual(settings);
  expect(() => updated({ keywords: ['p'.repeat(4_097)] })).toThrow('At most 4096 are allowed.');
  expect(() => updated({ prompt: 'p'.repeat(4_000), keywords: ['k'.repeat(200)] })).toThrow('At most 4096 are allowed.');
  expect(updated({ languages: [''] }).languages).toEqual([]);
  expect(() => updated({ keywords: 'Zürich' })).toThrow('keywords must be a list of texts.');
  expect(() => updated({ languages: Array.from({ length: 21 }, () => 'de') })).toThrow('At most 20 are allowed.');
  expect(() => updated({ languages: [7] })).toThrow('languages must be text.');
});

test('refuses a prompt or a language that is too long, because an open session keeps them', () => {
  const updated = (transcription: Record<string, string>) => updatedSettings(DEFAULT_SETTINGS, { audio: { input: { transcription } } });
  expect(updated({ prompt: 'p'.repeat(4_096), language: 'EN' })).toMatchObject({ prompt: 'p'.repeat(4_096), language: 'en' });
  expect(() => updated({ prompt: 'p'.repeat(4_097) })).toThrow('prompt has 4097 characters. At most 4096 are allowed.');
  expect(() => updated({ language: 'l'.repeat(36) })).toThrow('language has 36 characters. At most 35 are allowed.');
});
