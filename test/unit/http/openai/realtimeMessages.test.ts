import { expect, test } from 'vitest';
import { heardMessage } from '../../../../src/http/openai/realtime/realtimeMessages.ts';

test('refuses a message with more than 10,000 members and items before parsing it', () => {
  const message = (count: number) => Buffer.from(`{"type":"input_audio_buffer.clear","x":[${Array(count).fill('{}').join(',')}]}`);
  expect(() => heardMessage(message(20_000))).toThrow('more than 10000 members and items');
});

test('accepts a long text of audio', () => {
  const audio = Buffer.alloc(10_000_000, 0x55);
  const heard = heardMessage(Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio: audio.toString('base64') })));
  expect(heard.read()).toMatchObject({ type: 'input_audio_buffer.append', audio: { length: audio.length } });
});
