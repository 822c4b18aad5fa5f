import { expect, test } from 'vitest';
import { heardMessage } from '../../../../src/http/openai/realtime/realtimeMessages.ts';

test('refuses a message with more than 10,000 members and items before parsing it', async () => {
  const message = (count: number) => Buffer.from(`{"type":"input_audio_buffer.clear","x":[${Array(count).fill('{}').join(',')}]}`);
  await expect(heardMessage(message(20_000))).rejects.toThrow('more than 10000 members and items');
  await expect(heardMessage(message(4_000))).resolves.toMatchObject({ eventId: null });
});

test('accepts a long text of audio', async () => {
  const audio = Buffer.alloc(10_000_000, 0x55);
  const heard = await heardMessage(Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio: audio.toString('base64') })));
  expect(heard.read()).toMatchObject({ type: 'input_audio_buffer.append', audio: { length: audio.length } });
});

test('counts, decodes and parses a large message in turns of the event loop of their own', async () => {
  const audio = Buffer.alloc(6_000_000, 0x55).toString('base64');
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await heardMessage(Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio })));
  over = true;
  expect(turns).toBeGreaterThanOrEqual(6);
});
