import { WebSocket } from 'ws';
import type { Rig } from './transcribe.ts';

const REAL_TIME = '670ba9e0efa59fe6aecd56f1';
const BYTES_A_SECOND = 32_000;
const STEP_MILLISECONDS = 50;
/** `utteranceEnd` of the sessions. */
const UTTERANCE_END = 500;
/** Samples above it belong to speech. */
const LOUD = 600;

/** Milliseconds. */
export interface LiveDelays {
  /** From the start of speech to the first partial frame. */
  readonly partial: number;
  /** From the end of the `utteranceEnd` silence to the final frame. */
  readonly final: number;
  /** From the last sample to the end of the session. */
  readonly end: number;
}

/** Start and end of speech in samples of 16 kHz, in milliseconds. */
const speechBounds = (samples: Buffer): { readonly begin: number; readonly end: number } => {
  const loud: number[] = [];
  for (let n = 0; n + 1 < samples.length; n += 2) if (Math.abs(samples.readInt16LE(n)) > LOUD) loud.push(n);
  const [first = 0] = loud;
  return { begin: (first / BYTES_A_SECOND) * 1000, end: ((loud.at(-1) ?? 0) / BYTES_A_SECOND) * 1000 };
};

/** Streams one sentence (bare samples with silence around it) to the live gateway in real time. */
export const liveDelays = ({ server, authorization }: Rig, samples: Buffer): Promise<LiveDelays> =>
  new Promise((resolve, reject) => {
    const query = `streamConfigurationTemplateId=${REAL_TIME}&encoding=linear16&sampleRate=16000&channels=1&utteranceEnd=${UTTERANCE_END}`;
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws-gateway/api/v1?${query}`, { headers: { authorization } });
    const { begin, end } = speechBounds(samples);
    const heard = { partial: Number.NaN, final: Number.NaN };
    let began = 0;
    const speak = async (): Promise<void> => {
      began = performance.now();
      for (let at = 0; at < samples.length; ) {
        const due = Math.min(samples.length, Math.floor(((performance.now() - began) / 1000) * (BYTES_A_SECOND / 2)) * 2);
        if (due > at) socket.send(samples.subarray(at, due));
        at = Math.max(at, due);
        await new Promise((next) => setTimeout(next, STEP_MILLISECONDS));
      }
      socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
    };
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text.includes('"STREAM_METADATA"')) speak().catch(reject);
      else if (text.includes('"ERROR"')) reject(new Error(text));
      const at = performance.now() - began;
      if (text.includes('"frameType":"partial"') && Number.isNaN(heard.partial)) heard.partial = at - begin;
      // The final message that the pause caused.
      if (text.includes('"frameType":"final"') && text.includes('"transcription"')) heard.final = at - (end + UTTERANCE_END);
    });
    socket.once('error', reject);
    socket.once('close', () => resolve({ ...heard, end: performance.now() - began - (samples.length / BYTES_A_SECOND) * 1000 }));
  });
