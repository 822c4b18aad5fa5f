import { execFile } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Compare } from '../frame.ts';
import { benchDirectory, newUser } from '../serverProcess.ts';
import type { Corpus } from './clips.ts';
import { get, type Rig, record, startUpload, workerMemory } from './transcribe.ts';

const HOURS = 3;
const SECONDS = HOURS * 3_600;
const SAMPLE_MILLISECONDS = 500;
const WAV_HEADER_BYTES = 78;

/** MiB of resident memory; seconds to the first result; seconds until a cancelled run has ended; growth after the first tenth. */
const BARS = { memory: 1_536, firstResult: 60, cancel: 2, growth: 1.1 };

/** An m4a like a phone's: all clips in sequence, repeated. */
const threeHours = async (corpora: readonly Corpus[]): Promise<string> => {
  const folder = benchDirectory();
  const [once, file] = [join(folder, 'once.pcm'), join(folder, 'long.m4a')];
  const clips = corpora.flatMap((corpus) => corpus.clips);
  await writeFile(once, Buffer.concat(clips.map((clip) => clip.wav.subarray(WAV_HEADER_BYTES))));
  const looped = ['-stream_loop', '-1', '-f', 's16le', '-ar', '16000', '-ac', '1', '-i', once];
  await promisify(execFile)('ffmpeg', ['-v', 'error', ...looped, '-t', String(SECONDS), '-c:a', 'aac', '-b:a', '32k', '-y', file]);
  return file;
};

/** Follows the results of a stream like a live reader. */
class Follower {
  /** Milliseconds of `performance.now()`; `null` before the first result. */
  firstAt: number | null = null;
  /** End of the last result, in seconds of audio. */
  reached = 0;
  readonly done: Promise<void>;
  readonly #leave = new AbortController();

  constructor(rig: Rig, streamId: string) {
    this.done = this.#follow(rig, streamId).catch((error: unknown) => {
      if (!this.#leave.signal.aborted) throw error;
    });
  }

  leave(): void {
    this.#leave.abort();
  }

  async #follow({ server, authorization }: Rig, streamId: string): Promise<void> {
    const url = `${server.url}/egress-service/api/v1/egress/live?streams=${streamId}`;
    const { body } = await fetch(url, { headers: { authorization }, signal: this.#leave.signal });
    if (!body) throw new Error('the live reader got no answer');
    for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
      this.firstAt ??= performance.now();
      const { end } = record(record(JSON.parse(line)).payload);
      if (typeof end === 'number') this.reached = Math.max(this.reached, end / 1_000);
    }
  }
}

const firstResult = async (follower: Follower): Promise<number> => {
  const began = performance.now();
  while (follower.firstAt === null) await wait(20);
  return (follower.firstAt - began) / 1_000;
};

const stateOf = async (rig: Rig, streamId: string): Promise<unknown> =>
  record(await get(rig, `/stream-service/api/v1/streams/${streamId}`)).state;

/** Seconds from the request until the stream is cancelled and its worker has ended. */
const cancelled = async (rig: Rig, streamId: string): Promise<number> => {
  const { server, authorization } = rig;
  const began = performance.now();
  await fetch(`${server.url}/stream-service/api/v1/streams/${streamId}/cancel`, { method: 'PUT', headers: { authorization } });
  while ((await stateOf(rig, streamId)) === 'READY' || workerMemory(server) > 0) await wait(20);
  return (performance.now() - began) / 1_000;
};

interface Sample {
  /** Seconds of audio with results. */
  readonly reached: number;
  /** MiB. */
  readonly memory: number;
}

/** Transcribes the whole recording while watching the worker. */
const watched = async (rig: Rig, streamId: string): Promise<{ readonly samples: readonly Sample[]; readonly seconds: number }> => {
  const began = performance.now();
  const follower = new Follower(rig, streamId);
  const samples: Sample[] = [];
  let ended = false;
  void follower.done.then(() => {
    ended = true;
  });
  while (!ended) {
    const memory = workerMemory(rig.server);
    if (memory > 0) samples.push({ reached: follower.reached, memory });
    await wait(SAMPLE_MILLISECONDS);
  }
  if ((await stateOf(rig, streamId)) !== 'COMPLETED') throw new Error(`the stream ${streamId} did not complete`);
  return { samples, seconds: (performance.now() - began) / 1_000 };
};

const peakOf = (samples: readonly Sample[], from: number, to: number): number =>
  Math.max(...samples.filter(({ reached }) => reached >= from && reached <= to).map(({ memory }) => memory));

/** A recording of three hours: memory of the worker, the first result, progress, and the delay of a cancellation. */
export const measureLong = async (
  compare: Compare,
  { server, authorization }: Rig,
  name: string,
  corpora: readonly Corpus[],
): Promise<void> => {
  // An API key: an access token expires before the recording ends.
  const rig = { server, authorization: await newUser(server, authorization) };
  const recording = await openAsBlob(await threeHours(corpora));
  const label = `${name}, ${HOURS} hours`;
  const stopped = await startUpload(rig, recording);
  const early = new Follower(rig, stopped);
  const first = await firstResult(early);
  early.leave();
  const gone = await cancelled(rig, stopped);
  const within = (what: string, seconds: number, bar: number) =>
    compare(`${label}: ${what}`, {
      ...{ unit: '1/s', once: true, bar: 1 },
      ours: async () => 1 / seconds,
      baseline: async () => 1 / bar,
      notes: () => ({ after: `${seconds.toFixed(2)} s (bar ${bar} s)` }),
    });
  await within('first result', first, BARS.firstResult);
  await within('cancelled', gone, BARS.cancel);
  const { samples, seconds } = await watched(rig, await startUpload(rig, recording));
  const halfHours = Array.from({ length: 2 * HOURS }, (_, n) => peakOf(samples, n * 1_800, (n + 1) * 1_800));
  const [peak, warm, last] = [peakOf(samples, 0, SECONDS), peakOf(samples, 0, SECONDS / 10), peakOf(samples, 0.9 * SECONDS, SECONDS)];
  await compare(`${label}: worker memory`, {
    ...{ unit: '1/GiB', once: true, bar: 1 },
    ours: async () => 1_024 / peak,
    baseline: async () => 1_024 / BARS.memory,
    notes: () => ({
      peak: `${peak.toFixed(0)} MiB (bar ${BARS.memory} MiB)`,
      'peak of each half hour': halfHours.map((one) => one.toFixed(0)).join(', '),
      'per second of audio': `${(seconds / SECONDS).toFixed(3)} s`,
    }),
  });
  await compare(`${label}: memory is flat`, {
    ...{ unit: 'share', once: true, bar: 1 },
    ours: async () => warm / last,
    baseline: async () => 1 / BARS.growth,
    notes: () => ({ 'first tenth': `${warm.toFixed(0)} MiB`, 'last tenth': `${last.toFixed(0)} MiB` }),
  });
};
