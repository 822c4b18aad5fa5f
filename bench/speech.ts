import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedModels } from '../src/speech/models/installedModels.ts';
import { PUBLISHED_MODELS } from '../src/speech/models/publishedModels.ts';
import { type Compare, defineBench } from './frame.ts';
import { benchDirectory, type MeasuredServer, newUser, startTributary } from './serverProcess.ts';
import { type Corpus, generatedSpeech, packagedSpeech, spoken } from './speech/clips.ts';
import { type LiveDelays, liveDelays } from './speech/liveDelays.ts';
import { measureLong } from './speech/longRecording.ts';
import { type Rig, rigOf, transcribe, workerPeak } from './speech/transcribe.ts';
import { wordErrors, wordsOf } from './speech/wordErrors.ts';

// Benches run from dist-bench/bench.
const ROOT = new URL('../../', import.meta.url);
const MODELS_DIR = process.env.MODELS_DIR ?? fileURLToPath(new URL('models', ROOT));
const ENVIRONMENT = fileURLToPath(new URL('speech/.venv', ROOT));

/** Bars: seconds of work per second of audio; milliseconds of live delays; simultaneous sessions. */
const BARS = { secondsASecond: 0.4, partial: 1_200, final: 800, sessions: 8 };

/** Accuracy, speed and memory of one engine on one corpus. */
const measureCorpus = async (compare: Compare, rig: Rig, name: string, engine: 'moonshine' | 'whisper', corpus: Corpus): Promise<void> => {
  let [errors, words, milliseconds, madeBy] = [0, 0, 0, ''];
  for (const clip of corpus.clips) {
    const { text, milliseconds: took, engine: by } = await transcribe(rig, clip);
    const said = wordsOf(clip.text);
    errors += wordErrors(said, wordsOf(text));
    words += said.length;
    milliseconds += took;
    madeBy = by;
  }
  const seconds = corpus.clips.reduce((sum, clip) => sum + clip.seconds, 0);
  const rate = (100 * errors) / words;
  const bar = corpus.bars[engine];
  await compare(`${name}, ${corpus.label}`, {
    ...{ unit: '% of words', once: true, bar: 1 },
    ours: async () => 100 - rate,
    baseline: async () => 100 - bar,
    notes: () => ({ 'word error rate': `${rate.toFixed(1)} % of ${words} words (bar ${bar} %)`, by: madeBy }),
  });
  await compare(`${name}, ${corpus.label}`, {
    ...{ unit: 's audio/s', once: true, bar: 1 },
    ours: async () => (1000 * seconds) / milliseconds,
    baseline: async () => 1 / BARS.secondsASecond,
    notes: () => ({
      'per second of audio': `${(milliseconds / 1000 / seconds).toFixed(2)} s (bar ${BARS.secondsASecond})`,
      'worker peak': `${workerPeak(rig.server).toFixed(0)} MiB`,
    }),
  });
};

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const measureLive = async (compare: Compare, rig: Rig, rounds: number): Promise<void> => {
  const sentence = await spoken(['the evening train will remember the quiet winter before the rain came'], 'slt');
  const silence = (seconds: number): Buffer => Buffer.alloc(seconds * 32_000);
  const samples = Buffer.concat([silence(1), sentence.subarray(78), silence(2)]);
  // Loads the worker.
  await liveDelays(rig, samples);
  const single: LiveDelays[] = [];
  for (let n = 0; n < rounds; n += 1) single.push(await liveDelays(rig, samples));
  for (const which of ['partial', 'final'] as const)
    await compare(`live, first ${which} frame`, {
      ...{ unit: '1/s', once: true, bar: 1 },
      ours: async () => 1000 / Math.max(1, median(single.map((one) => one[which]))),
      baseline: async () => 1000 / BARS[which],
      notes: () => ({ median: `${median(single.map((one) => one[which])).toFixed(0)} ms (bar ${BARS[which]})` }),
    });
  // One user may use only half of the live engines.
  const users: Rig[] = [];
  for (let n = 0; n < BARS.sessions; n += 1) users.push({ ...rig, authorization: await newUser(rig.server, rig.authorization) });
  const all = () => Promise.all(users.map((user) => liveDelays(user, samples)));
  // Loads a worker for each.
  await all();
  const together = await all();
  const worst = (which: 'partial' | 'final' | 'end'): string => `${Math.max(...together.map((one) => one[which])).toFixed(0)} ms`;
  await compare(`live, ${BARS.sessions} sessions at once`, {
    ...{ unit: '1/s', once: true, bar: 1 },
    ours: async () => 1000 / Math.max(1, ...together.map((one) => one.final)),
    baseline: async () => 1000 / BARS.final,
    notes: () => ({
      'worst partial': worst('partial'),
      'worst final': worst('final'),
      'worst end': worst('end'),
      'worker peak': `${workerPeak(rig.server).toFixed(0)} MiB`,
    }),
  });
};

const withServer = async (environment: Readonly<Record<string, string>>, work: (rig: Rig) => Promise<void>): Promise<void> => {
  const directory = benchDirectory();
  const server: MeasuredServer = await startTributary(join(directory, 'data'), environment);
  try {
    await work(await rigOf(server));
  } finally {
    await server.stop();
  }
};

/** Every installed engine and model: word error rate, speed, memory; and the delays of live speech. `--long`: a recording of three hours instead. */
export const speech = defineBench({
  name: 'speech',
  bar: null,
  run: async (compare, { full, long }) => {
    const installed = await installedModels(MODELS_DIR, ENVIRONMENT);
    const human = await packagedSpeech(ENVIRONMENT);
    if (human === null) return console.log('skipped: needs the speech engines (npm run setup)');
    const corpora = [human, ...(await generatedSpeech(full || long ? 200 : 30))];
    for (const { name } of PUBLISHED_MODELS)
      if (!installed.some((model) => model.name === name))
        console.log(`skipped: needs the model ${name} (npx tributary models pull ${name})`);
    for (const { name, engine } of installed) {
      const noModels = join(benchDirectory(), 'models');
      mkdirSync(noModels);
      const choice = engine === 'moonshine' ? { MODELS_DIR: noModels } : { MODELS_DIR, WHISPER_MODEL: name };
      await withServer(choice, async (rig) => {
        if (long) return measureLong(compare, rig, name, corpora);
        // Loads the worker.
        for (const clip of human.clips.slice(-1)) await transcribe(rig, clip);
        for (const corpus of corpora) await measureCorpus(compare, rig, name, engine, corpus);
        if (engine === 'moonshine') await measureLive(compare, rig, full ? 9 : 5);
      });
    }
  },
});
