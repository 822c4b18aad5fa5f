import { expect, test } from 'vitest';
import { turnDetectionOf, turnDetectionShown } from '../../../../src/http/openai/realtime/turnDetection.ts';
import type { Json } from '../../../../src/json.ts';

const MEMBER = 'session.audio.input.turn_detection';
const pauseOf = (given: Json) => turnDetectionOf(given)?.silenceMilliseconds;
const shown = (given: Json) => turnDetectionShown(turnDetectionOf(given));

test('semantic_vad ends an utterance at a pause that its eagerness says', () => {
  const pauses = ['low', 'medium', 'high', 'auto', 'HIGH'].map((eagerness) => pauseOf({ type: 'semantic_vad', eagerness }));
  expect(pauses).toEqual([2_000, 1_000, 500, 1_000, 500]);
  expect(pauseOf({ type: 'semantic_vad', create_response: false, interrupt_response: false })).toBe(1_000);
  expect(shown({ type: 'semantic_vad', eagerness: 'low' })).toEqual({ type: 'semantic_vad', eagerness: 'low' });
  expect(shown({ type: 'Semantic_VAD', eagerness: null })).toEqual({ type: 'semantic_vad', eagerness: 'auto' });
});

test('server_vad is answered as it was asked for, with defaults', () => {
  expect(shown('server_vad')).toMatchObject({ type: 'server_vad', prefix_padding_ms: 300, silence_duration_ms: 500 });
  const asked = { type: 'server_vad', prefix_padding_ms: 0, silence_duration_ms: 5_000 };
  expect(shown(asked)).toMatchObject(asked);
  expect(shown(null)).toBeNull();
});

test.each<[Json, string]>([
  [{ type: 'manual_vad' }, 'type'],
  [{}, 'type'],
  [7, 'type'],
  [{ type: 'semantic_vad', eagerness: 'eager' }, 'eagerness'],
  [{ type: 'server_vad', silence_duration_ms: 199 }, 'silence_duration_ms'],
  [{ type: 'server_vad', silence_duration_ms: 5_001 }, 'silence_duration_ms'],
  [{ type: 'server_vad', silence_duration_ms: '500' }, 'silence_duration_ms'],
  [{ type: 'server_vad', prefix_padding_ms: 2_001 }, 'prefix_padding_ms'],
  [{ type: 'server_vad', prefix_padding_ms: -1 }, 'prefix_padding_ms'],
])('refuses %j by the name of the member', (given, member) => {
  expect(() => turnDetectionOf(given)).toThrow(expect.objectContaining({ statusCode: 400, param: `${MEMBER}.${member}` }));
});
