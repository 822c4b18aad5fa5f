import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineBench } from './frame.ts';
import { accessToken, benchDirectory, type MeasuredServer, newUser, startTributary } from './serverProcess.ts';

const TEMPLATE = '668115d123bca7e3509723d4';
const SENTENCE = 'the committee will meet again on thursday to talk about the plan for the next year';
const RECORDINGS = 10;
const RECORDING_SECONDS = 600;
const CLIP_SECONDS = 3;
/** The bar: a short clip is answered within twice its idle time. */
const MOST_TIMES = 2;

const spoken = (name: string, seconds: number): Buffer => {
  const file = join(benchDirectory(), name);
  const source = `flite=text='${SENTENCE}':voice=slt,aloop=loop=-1:size=2000000000,atrim=0:${seconds}`;
  execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-f', 'lavfi', '-i', source, '-ar', '16000', file]);
  return readFileSync(file);
};

const queueRecording = async (server: MeasuredServer, authorization: string, recording: Buffer): Promise<void> => {
  const response = await fetch(`${server.url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TEMPLATE}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(recording),
  });
  if (!response.ok) throw new Error(await response.text());
};

/** Milliseconds until the clip's transcript is returned. */
const answered = async (server: MeasuredServer, authorization: string, clip: Buffer): Promise<number> => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(clip)]), 'clip.wav');
  form.append('model', 'whisper-1');
  const began = performance.now();
  const response = await fetch(`${server.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: authorization.replace('Basic', 'Bearer') },
    body: form,
  });
  if (!response.ok) throw new Error(await response.text());
  await response.json();
  return performance.now() - began;
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** A short clip of one user beside other users' queued long recordings. Needs the speech engines. */
export const shortClip = defineBench({
  name: 'short-clip',
  bar: 1 / MOST_TIMES,
  run: async (compare) => {
    const server = await startTributary(join(benchDirectory(), 'data'), { MAX_CONCURRENT_STREAMS: '1000' });
    const admin = `Bearer ${await accessToken(server.url)}`;
    const [clip, recording] = [spoken('clip.wav', CLIP_SECONDS), spoken('recording.wav', RECORDING_SECONDS)];
    const user = await newUser(server, admin);
    await answered(server, user, clip);
    const idle: number[] = [];
    for (let n = 0; n < 5; n += 1) idle.push(await answered(server, user, clip));
    for (let n = 0; n < RECORDINGS; n += 1) await queueRecording(server, await newUser(server, admin), recording);
    const busy: number[] = [];
    for (let n = 0; n < 5; n += 1) busy.push(await answered(server, user, clip));
    await compare(`a clip of ${CLIP_SECONDS} s beside ${RECORDINGS} recordings of ${RECORDING_SECONDS} s`, {
      ...{ unit: 'answers/s', once: true },
      ours: async () => 1_000 / median(busy),
      baseline: async () => 1_000 / median(idle),
      notes: () => ({
        idle: `${median(idle).toFixed(0)} ms`,
        busy: `${median(busy).toFixed(0)} ms, worst ${Math.max(...busy).toFixed(0)} ms`,
      }),
    });
    await server.stop();
  },
});
