import { WebSocket } from 'ws';
import type { DemoServer } from './demoServer.ts';
import { heading, say } from './say.ts';
import { SPOKEN_SENTENCES, speechMissing, spokenWithPauses } from './spokenWav.ts';

const LIVE_TEMPLATE = '670ba9e0efa59fe6aecd56f1';
const PACE_MILLISECONDS = 100;
/** As ffmpeg writes it, with its own name in it. */
const WAV_HEADER_BYTES = 78;

/** What the gateway sends, as the public interface documents it. */
interface GatewayMessage {
  type: 'STREAM_METADATA' | 'RESPONSE' | 'KEEP_ALIVE' | 'ERROR' | 'END_OF_STREAM';
  stream?: { streamId: string };
  response?: { processorId: string; payload: { transcription?: string; summary?: unknown; sentimentAnalysis?: unknown } };
  error?: { message: string };
}

/** Speaks into the WebSocket gateway as a microphone would, and says what comes back while it speaks. Answers the stream's id. */
export const speakLive = async (server: DemoServer): Promise<string> => {
  const missing = speechMissing({ live: true });
  if (missing !== null) throw new Error(`Nothing can be spoken live here: ${missing}.`);
  // A microphone gives bare samples.
  const samples = (await spokenWithPauses()).subarray(WAV_HEADER_BYTES);
  const query = new URLSearchParams({
    streamConfigurationTemplateId: LIVE_TEMPLATE,
    name: 'Live demonstration',
    persist: 'true',
    utteranceEnd: '500',
    encoding: 'linear16',
    sampleRate: '16000',
    channels: '1',
    summary: 'true',
    sentimentAnalysis: 'true',
    ask0: 'What should I do tomorrow?',
  });
  heading('Speaking into the live gateway, in real time');
  const socket = new WebSocket(`${server.url.replace(/^http/, 'ws')}/ws-gateway/api/v1?${query}`, {
    headers: { authorization: `Basic ${server.apiKey}` },
  });
  return converse(socket, samples);
};

const converse = (socket: WebSocket, samples: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let streamId: string | null = null;
    let began = 0;
    const shown = (text: string) => say(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${text}`);
    const hear = ({ type, stream, response, error }: GatewayMessage): void => {
      if (type === 'STREAM_METADATA' && stream) {
        streamId = stream.streamId;
        say(`  stream ${streamId}, ${(samples.length / BYTES_A_SECOND).toFixed(0)} s of speech: "${SPOKEN_SENTENCES.join('. ')}."`);
        began = performance.now();
        void pace(socket, samples).then(() => shown('(spoken to the end)'));
      } else if (type === 'RESPONSE' && response) shown(described(response));
      else if (type === 'ERROR') reject(new Error(error?.message ?? 'The gateway gave an error.'));
    };
    // The gateway's text messages are JSON of the shape above; this template gives no binary ones.
    socket.on('message', (data) => hear(JSON.parse(data.toString())));
    socket.once('error', reject);
    socket.once('close', () =>
      streamId === null ? reject(new Error('The gateway closed before there was a stream.')) : resolve(streamId),
    );
  });

const described = ({ processorId, payload }: NonNullable<GatewayMessage['response']>): string => {
  const what = payload.transcription?.trim() ?? Object.keys(payload).find((name) => name in NAMED) ?? 'a result';
  return `${processorId.padEnd(12)} ${NAMED[what] ?? `"${what}"`}`;
};

const NAMED: Readonly<Record<string, string>> = {
  summary: 'summary',
  sentimentAnalysis: 'sentiment of a segment',
  sentimentAnalysisSummary: 'sentiment of the whole',
  askAnything: 'an answer',
};

/** 16 kHz, mono, 16 bits. */
const BYTES_A_SECOND = 32_000;

/** As fast as it is spoken, whatever the timers do; then END_OF_STREAM. */
const pace = async (socket: WebSocket, samples: Buffer): Promise<void> => {
  const began = performance.now();
  for (let at = 0; at < samples.length && socket.readyState === WebSocket.OPEN; ) {
    await new Promise((resolve) => setTimeout(resolve, PACE_MILLISECONDS));
    const due = Math.floor(((performance.now() - began) / 1000) * (BYTES_A_SECOND / 2)) * 2;
    if (due > at) socket.send(samples.subarray(at, due));
    at = Math.max(at, due);
  }
  socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
};
