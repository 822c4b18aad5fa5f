import { expect, test } from 'vitest';
import { ReceivedMessage } from '../../../../src/http/input/body.ts';
import { heardMessage } from '../../../../src/http/openai/realtime/realtimeMessages.ts';
import { slowSteps } from '../../../slowSteps.ts';
import { turnsOf } from '../../../turnsOf.ts';

const hear = (bytes: Uint8Array) => heardMessage(new ReceivedMessage(bytes));

test('refuses a message with more than 10,000 members and items before parsing it', async () => {
  const message = (count: number) => Buffer.from(`{"type":"input_audio_buffer.clear","x":[${Array(count).fill('{}').join(',')}]}`);
  await expect(hear(message(20_000))).rejects.toThrow('more than 10000 members and items');
  await expect(hear(message(4_000))).resolves.toMatchObject({ eventId: null });
});

test('accepts a long text of audio', async () => {
  const audio = Buffer.alloc(10_000_000, 0x55);
  const heard = await hear(Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio: audio.toString('base64') })));
  expect(await heard.read()).toMatchObject({ type: 'input_audio_buffer.append', audio: { length: audio.length } });
});

test('counts, decodes and parses a large message in turns of the event loop of their own', async () => {
  const audio = Buffer.alloc(6_000_000, 0x55).toString('base64');
  const message = Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio }));
  expect(await turnsOf(() => hear(message))).toBeGreaterThanOrEqual(6);
});

test('parses a message with many values in turns of the event loop of its own, and a short piece of audio at once', async () => {
  const many = Buffer.from(`{"type":"input_audio_buffer.clear","x":[${Array(300).fill('{}').join(',')}]}`);
  slowSteps();
  expect(await turnsOf(() => hear(many))).toBeGreaterThanOrEqual(3);
  const audio = Buffer.alloc(6_400, 0x55).toString('base64');
  expect(await turnsOf(() => hear(Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio }))))).toBeLessThanOrEqual(1);
});

test('holds the bytes of a large message only until they are decoded', async () => {
  const audio = Buffer.alloc(6_000_000, 0x55).toString('base64');
  const received = new ReceivedMessage(Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio })));
  await heardMessage(received);
  expect(received.piece(0, received.length)).toHaveLength(0);
});

test('decodes long audio in several turns of the event loop, and only audio that is base64 to its end', async () => {
  slowSteps();
  const heard = (audio: string) => hear(Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio })));
  for (const length of [6_000_000, 6_000_001, 6_000_002]) {
    const audio = Buffer.from(Array.from({ length: length / 1_000 + 1 }, (_, n) => String(n).padEnd(1_000, 'x')).join('')).subarray(
      0,
      length,
    );
    const whole = await heard(audio.toString('base64'));
    const decodes = async () => {
      const message = await whole.read();
      expect(message.type === 'input_audio_buffer.append' && message.audio.equals(audio)).toBe(true);
    };
    expect(await turnsOf(decodes)).toBeGreaterThanOrEqual(3);
  }
  const text = Buffer.alloc(6_000_000, 0x55).toString('base64');
  for (const wrong of [`====${text}`, `${text.slice(0, 4_000_000)}-___${text}`, `${text.slice(0, 2_097_150)}==${text}`])
    await expect((await heard(wrong)).read()).rejects.toThrow('base64');
});

test('does not repeat an event id of more than 512 characters', async () => {
  const heard = (id: string) => hear(Buffer.from(JSON.stringify({ type: 'input_audio_buffer.clear', event_id: id })));
  expect((await heard('e'.repeat(512))).eventId).toHaveLength(512);
  expect((await heard('e'.repeat(513))).eventId).toBeNull();
});
