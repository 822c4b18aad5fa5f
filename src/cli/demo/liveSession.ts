import { WebSocket } from 'ws';
import type { Session, SinkMessage, Tributary } from '#client';
import { heading, say } from './say.ts';
import { SPOKEN_SENTENCES, speechMissing, spokenWithPauses } from './spokenWav.ts';

const LIVE_TEMPLATE = '670ba9e0efa59fe6aecd56f1';
const PACE_MILLISECONDS = 100;
/** As ffmpeg writes it, with its file name. */
const WAV_HEADER_BYTES = 78;

/** Sends speech to the WebSocket gateway like a microphone and prints the results as they arrive. Returns the stream's id. */
export const speakLive = async (tributary: Tributary): Promise<string> => {
  const missing = await speechMissing({ live: true });
  if (missing !== null) throw new Error(`The live demo cannot run here: ${missing}.`);
  // A microphone sends bare samples.
  const samples = (await spokenWithPauses()).subarray(WAV_HEADER_BYTES);
  heading('Speaking into the live gateway, in real time');
  const session = await tributary.session({
    template: LIVE_TEMPLATE,
    name: 'Live demonstration',
    persist: true,
    patches: { ...SOUND, summary: true, sentimentAnalysis: true, ask0: 'When should I call back?' },
    WebSocket,
  });
  const { streamId } = session.stream;
  say(`  stream ${streamId}, ${(samples.length / BYTES_A_SECOND).toFixed(0)} s of speech: "${SPOKEN_SENTENCES.join('. ')}."`);
  const began = performance.now();
  const shown = (text: string) => say(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${text}`);
  const spoken = pace(session, samples).then(() => shown('(spoken to the end)'));
  for await (const message of session) shown(described(message));
  await spoken;
  return streamId;
};

const SOUND = { utteranceEnd: 500, encoding: 'linear16', sampleRate: 16_000, channels: 1 };

const described = ({ processorId, payload, frameType }: SinkMessage): string => {
  const members: Record<string, unknown> = typeof payload === 'object' && payload !== null ? { ...payload } : {};
  const { transcription } = members;
  const said = typeof transcription === 'string' ? transcription.trim() : Object.keys(members).find((name) => name in NAMED);
  const what = said ?? 'a result';
  return `${processorId.padEnd(12)} ${NAMED[what] ?? `"${what}"${frameType === 'partial' ? ' ...' : ''}`}`;
};

const NAMED: Readonly<Record<string, string>> = {
  summary: 'summary',
  sentimentAnalysis: 'sentiment of a segment',
  sentimentAnalysisSummary: 'sentiment of the whole',
  askAnything: 'an answer',
};

/** 16 kHz, mono, 16 bits. */
const BYTES_A_SECOND = 32_000;

/** Sends at the speed of speech, whatever the timers do, then ends the input. */
const pace = async (session: Session, samples: Buffer): Promise<void> => {
  const began = performance.now();
  for (let at = 0; at < samples.length; ) {
    await new Promise((resolve) => setTimeout(resolve, PACE_MILLISECONDS));
    const due = Math.floor(((performance.now() - began) / 1000) * (BYTES_A_SECOND / 2)) * 2;
    if (due > at) await session.send(samples.subarray(at, due));
    at = Math.max(at, due);
  }
  session.end();
};
