import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { HeldAudioRoom } from '../../../../src/http/openai/realtime/heldAudio.ts';
import { RealtimeSession } from '../../../../src/http/openai/realtime/realtimeSession.ts';
import { badRequest } from '../../../../src/http/server/errors.ts';
import { eventually } from '../../../eventually.ts';
import { ManualClock } from '../../../manualClock.ts';
import { OWNER } from '../served.ts';

/** A session whose stream is refused at its first audio, and what it counts as traffic. */
const session = () => {
  const counted: number[] = [];
  const sent: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    ...{ readyState: 1, OPEN: 1, bufferedAmount: 0, isPaused: false },
    ...{ pause: () => {}, resume: () => {}, ping: () => {}, close: () => {}, terminate: () => {} },
    send: (text: string) => sent.push(JSON.parse(text).type),
  });
  const deps = {
    clock: new ManualClock(),
    heldAudioRoom: new HeldAudioRoom(),
    traffic: { wait: (_user: string, bytes: number) => void counted.push(bytes) },
    planner: { prepare: () => Promise.reject(badRequest('refused')) },
  };
  const handshake = { caller: { subject: OWNER }, template: { id: 't', processors: [] }, model: null, correlationId: 'c', streamId: 's' };
  const running = new RealtimeSession(socket as never, deps as never, handshake as never).run();
  const say = (message: object) => socket.emit('message', Buffer.from(JSON.stringify(message)), false);
  const append = (bytes: number) => say({ type: 'input_audio_buffer.append', audio: Buffer.alloc(bytes).toString('base64') });
  const close = async () => {
    socket.emit('close');
    await running;
  };
  return { counted, sent, say, append, close };
};

test('counts the audio that a session still holds at its end as traffic', async () => {
  const { counted, sent, say, append, close } = session();
  say({ type: 'session.update', session: { type: 'transcription', audio: { input: { turn_detection: null } } } });
  append(48_000);
  await eventually(() => expect(sent).toContain('session.updated'));
  await close();
  expect(counted).toEqual([48_000]);
});

test('counts audio that is not stored, because its stream was refused, as traffic', async () => {
  const { counted, sent, append, close } = session();
  append(48_000);
  await eventually(() => expect(sent).toContain('error'));
  await eventually(() => expect(counted).toEqual([48_000]));
  append(24_000);
  await close();
  expect(counted).toEqual([48_000, 24_000]);
});
