import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { readConfig } from '../../../src/config.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { MESSAGE_SCHEMAS } from '../../../src/domain/stream/messages.ts';
import { silentLogger } from '../../../src/logger.ts';
import { openPlatform, type Platform } from '../../../src/platform.ts';
import { searchProjection } from '../../../src/projections/search.ts';
import { eventually } from '../../eventually.ts';
import { completed, link, OWNER, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const TOPIC = '3f0c8f5e-6a52-4a4e-9f1f-0a7f8d1c2b3a';

const opened = async () => {
  const dataDir = temporaryDirectory();
  const platform = await openPlatform(readConfig({ DATA_DIR: dataDir }), { clock: systemClock, logger: silentLogger });
  const running = new AbortController();
  onTestFinished(async () => {
    running.abort();
    await platform.engine.finished();
    await platform.close();
  });
  await platform.engine.start(running.signal);
  await platform.engine.whenReady();
  return { dataDir, platform };
};

/** A kept stream whose only result is a text. */
const keep = async ({ topics, log }: Platform, streamId: string, text: string) => {
  await topics.create(TOPIC);
  await topics.append(TOPIC, [Buffer.from(text)]);
  await topics.seal(TOPIC);
  const made = streamCreated([link('echo', null)], { streamId, persist: true });
  const [processor] = made.data.configuration.processors;
  if (!processor) throw new Error('the stream has no processor');
  const destination = {
    ...processor.destination,
    topic: `persistent://here/persistent-data-sinks/${TOPIC}`,
    messageSchema: MESSAGE_SCHEMAS.string,
  };
  const kept = { ...processor, destination, egress: { persist: true, sink: true, tags: [] } };
  const created = { ...made, data: { ...made.data, configuration: { ...made.data.configuration, processors: [kept] } } };
  const append = async (events: readonly StreamEvent[], revision: bigint | 'no stream', hash: string | null) =>
    log.append(`stream-${streamId}`, { revision, hash } as never, events, {
      ...{ subject: OWNER, actor: 'test', correlationId: 'c', causationId: 'c' },
    });
  await append([created, uploaded, started('echo'), completed('echo'), { type: 'StreamCompleted', data: {} }], 'no stream', null);
  return {
    expire: async () => {
      await topics.delete(TOPIC);
      const last = (await log.readStream(`stream-${streamId}`)).at(-1);
      await append([{ type: 'StreamExpired', data: { reason: 'retention' } }], last?.revision ?? 0n, last?.metadata.hash ?? null);
    },
  };
};

const find = ({ readModels }: Platform, word: string) =>
  readModels.search(searchProjection, {
    query: { all: [{ words: [word], prefix: false }], none: [] },
    where: { subject: OWNER },
    limit: 10,
  });

/** Files of the data directory with a word. */
const holding = (dataDir: string, word: string): string[] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(word))
    .map(({ name }) => name);

test('the words of a kept stream are found after a rebuild, and in no file once its data were deleted', async () => {
  const { dataDir, platform } = await opened();
  const stream = await keep(platform, 'kept', 'A zanzibar quokka.');
  await eventually(async () => expect(await find(platform, 'quokka')).toEqual(['kept']));
  await platform.engine.rebuild('search');
  expect(await find(platform, 'quokka')).toEqual(['kept']);
  expect(holding(dataDir, 'quokka')).not.toEqual([]);
  await stream.expire();
  await eventually(async () => expect(await find(platform, 'quokka')).toEqual([]));
  await platform.engine.forgetFormerWords();
  expect([...holding(dataDir, 'quokka'), ...holding(dataDir, 'zanzibar')]).toEqual([]);
});
