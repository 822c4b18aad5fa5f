import { randomUUID } from 'node:crypto';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { MESSAGE_SCHEMAS } from '../src/domain/stream/messages.ts';
import { topicId } from '../src/domain/stream/streamConfiguration.ts';
import { silentLogger } from '../src/logger.ts';
import { openPlatform, type Platform } from '../src/platform.ts';
import { lifeOf } from './fillLog.ts';

const WORDS_OF_UTTERANCE = 15;
const WORD_MILLISECONDS = 350;
/** Different words. They are as frequent as in a language: the n-th has a share of 1/n. */
const VOCABULARY = 40_000;
const SYLLABLES = 'ba be bi bo ka ke ki ko ta te ti to ma me mi mo na ne ni no sa se si so ra re ri ro la le li lo'.split(' ');
const TOGETHER = 16;

/** The same numbers in each run, from 0 to 1. */
const numbers = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
};

const random = numbers(1);
/** The most frequent come first, which are shorter. */
export const vocabulary: readonly string[] = Array.from({ length: VOCABULARY }, (_, n) => {
  const syllables = 1 + Math.min(4, Math.floor(Math.log(n + 2) / 3)) + (n % 2);
  return Array.from({ length: syllables }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join('');
});
/** Of each word and those before it. */
const shares = new Float64Array(VOCABULARY);
for (let n = 0, sum = 0; n < VOCABULARY; n += 1) {
  sum += 1 / (n + 2.7);
  shares[n] = sum;
}

/** A place in the vocabulary, by its share. */
export const drawn = (): number => {
  const wanted = random() * (shares.at(-1) ?? 0);
  let [low, high] = [0, VOCABULARY - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shares[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
};

export interface FilledLibrary {
  readonly owner: string;
  readonly streamIds: readonly string[];
  readonly textBytes: number;
}

/** Fills an empty data directory with kept streams of one owner, each with a transcript, in which the speakers take turns. */
export const fillLibrary = async (
  dataDir: string,
  streams: number,
  wordsOfEach: number,
  speakers: readonly string[] = [],
): Promise<FilledLibrary> => {
  const platform = await openPlatform(readConfig({ DATA_DIR: dataDir }), { clock: systemClock, logger: silentLogger });
  const owner = randomUUID();
  const ids = Array.from({ length: streams }, () => randomUUID());
  let textBytes = 0;
  for (let n = 0; n < streams; n += TOGETHER) {
    const some = ids.slice(n, n + TOGETHER).map((streamId) => keep(platform, { streamId, owner, words: wordsOfEach, speakers }));
    for (const bytes of await Promise.all(some)) textBytes += bytes;
  }
  await platform.close();
  return { owner, streamIds: ids, textBytes };
};

interface Kept {
  readonly streamId: string;
  readonly owner: string;
  readonly words: number;
  readonly speakers: readonly string[];
}

/** Resolves with the bytes of the text. */
const keep = async ({ log, topics }: Platform, { streamId, owner, words, speakers }: Kept): Promise<number> => {
  const life = lifeOf(streamId, owner, { templateId: TRANSCRIPTION, persist: true });
  const [created] = life;
  if (created?.type !== 'StreamCreated') throw new Error('the stream is not created');
  const transcriber = created.data.configuration.processors.find(
    ({ destination }) => destination.messageSchema === MESSAGE_SCHEMAS.transcription,
  );
  if (!transcriber) throw new Error('the template has no transcriber');
  const utterances = Array.from({ length: Math.ceil(words / WORDS_OF_UTTERANCE) }, (_, n) => utterance(n, speakers[n % speakers.length]));
  const topic = topicId(transcriber.destination.topic);
  await topics.create(topic);
  await topics.append(
    topic,
    utterances.map(({ message }) => Buffer.from(JSON.stringify(message))),
  );
  await topics.seal(topic);
  const context = { subject: owner, actor: 'bench', correlationId: streamId, causationId: streamId };
  await log.append(`stream-${streamId}`, { revision: 'no stream', hash: null }, life, context);
  return utterances.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
};

/** Built-in. */
const TRANSCRIPTION = '668115d123bca7e3509723d4';

const utterance = (n: number, speaker?: string) => {
  const spoken = Array.from({ length: WORDS_OF_UTTERANCE }, () => vocabulary[drawn()] ?? '');
  const first = n * WORDS_OF_UTTERANCE;
  const words = spoken.map((word, i) => ({
    word: ` ${word}`,
    start: (first + i) * WORD_MILLISECONDS,
    end: (first + i + 1) * WORD_MILLISECONDS,
    ...{ confidence: 0.9, language: 'en', metadata: {} },
  }));
  const text = spoken.join(' ');
  const payload = {
    transcription: ` ${text}`,
    words,
    start: words[0]?.start ?? 0,
    end: words.at(-1)?.end ?? 0,
    ...{ metadata: speaker === undefined ? {} : { speakerIds: [speaker] }, channel: null, utterance: true },
  };
  return { text, message: { frameType: 'final', payloadSchema: MESSAGE_SCHEMAS.transcription, payload, headers: {} } };
};
