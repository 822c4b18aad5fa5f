import { expect, test } from 'vitest';
import { heardMessage } from '../../../../src/http/openai/realtime/realtimeMessages.ts';

const hear = (message: object) => heardMessage(Buffer.from(JSON.stringify(message)), 20_000);
const appended = (audio: string) => hear({ type: 'input_audio_buffer.append', audio }).read();

test('refuses a message with more values than allowed', () => {
  const message = (count: number) => ({ type: 'input_audio_buffer.clear', x: Array(count).fill(0) });
  expect(() => hear(message(20_000))).toThrow('more than 20000 values');
  expect(hear(message(10_000))).toMatchObject({ eventId: null });
});

test('accepts a long text of audio, whatever its padding', () => {
  for (const length of [6_000_000, 6_000_001, 6_000_002]) {
    const audio = Buffer.alloc(length, 'audio');
    const message = appended(audio.toString('base64'));
    expect(message.type === 'input_audio_buffer.append' && message.audio.equals(audio)).toBe(true);
  }
});

test('refuses audio that is not base64 to its end', () => {
  const text = Buffer.alloc(6_000_000, 0x55).toString('base64');
  for (const wrong of [`====${text}`, `${text.slice(0, 4_000_000)}-___${text}`, `${text.slice(0, 2_097_150)}==${text}`])
    expect(() => appended(wrong)).toThrow('base64');
});

test('does not repeat an event id of more than 512 characters', () => {
  const idOf = (id: string) => hear({ type: 'input_audio_buffer.clear', event_id: id }).eventId;
  expect(idOf('e'.repeat(512))).toHaveLength(512);
  expect(idOf('e'.repeat(513))).toBeNull();
});
