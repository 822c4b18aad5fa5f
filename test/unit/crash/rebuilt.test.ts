import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { readConfig } from '../../../src/config.ts';
import { streamEventStream } from '../../../src/domain/stream/events.ts';
import type { JsonObject } from '../../../src/json.ts';
import { silentLogger } from '../../../src/logger.ts';
import { openPlatform, type Platform } from '../../../src/platform.ts';
import { allProjections } from '../../../src/projections/all.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import { documentPages } from '../../../src/stores/pages.ts';
import { differencesFromRebuild } from '../../crash/rebuilt.ts';
import { link, OWNER, streamCreated } from '../../fakes/streamStory.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const NEW = { revision: 'no stream', hash: null } as const;
const form = {
  documents: async function* ({ documents }: Pick<Platform, 'documents'>, collection: string) {
    for await (const page of documentPages(documents, collection, {}, 100)) yield* page;
  },
};

const addStream = ({ log }: Platform, streamId: string) =>
  log.append(streamEventStream(streamId), NEW, [streamCreated([link('echo', null)], { streamId })], {
    ...{ subject: OWNER, actor: OWNER, correlationId: streamId, causationId: streamId },
  });

/** A platform with streams, whose read models have read them. */
const withStreams = async (...ids: readonly string[]): Promise<{ platform: Platform; streams: string }> => {
  const platform = await openPlatform(readConfig({ DATA_DIR: temporaryDirectory() }), { clock: systemClock, logger: silentLogger });
  const live = new AbortController();
  onTestFinished(async () => {
    live.abort();
    await platform.engine.finished();
    await platform.close();
  });
  await platform.engine.start(live.signal);
  await platform.engine.whenReady();
  for (const id of ids) await addStream(platform, id);
  const head = await platform.log.head();
  const names = allProjections.map(({ name }) => name);
  expect(head && (await platform.readModels.waitFor(names, head, 10_000))).toBe(true);
  return { platform, streams: platform.engine.served('streams').collection };
};

describe('what the crash test finds in stored read models', () => {
  test('it finds nothing in those of an untouched platform', async () => {
    const { platform } = await withStreams(randomUUID(), randomUUID());
    expect(await differencesFromRebuild(platform, form)).toEqual([]);
  });

  test('it finds one changed member, and one missing document', async () => {
    const [changed, missing] = [randomUUID(), randomUUID()];
    const { platform, streams } = await withStreams(randomUUID(), changed, missing);
    const overwrite = async (id: string, change: (body: JsonObject) => JsonObject | null) => {
      const document = await platform.documents.get(streams, id);
      if (!document) throw new Error('the stream has a document');
      // Later than the stored one.
      const position = `${document.position}~` as Position;
      const checkpoint = { name: 'test', position, epoch: 1 };
      await platform.documents.writeBatch(streams, [{ id, position, body: change(document.body) }], checkpoint);
    };
    await overwrite(changed, (body) => ({ ...body, attempts: [] }));
    await overwrite(missing, () => null);
    expect(await differencesFromRebuild(platform, form)).toEqual([
      expect.stringMatching(`^streams ${changed}: attempts is \\[\\], \\[\\{.* in the rebuild$`),
      `streams ${missing}: in the rebuild, but not stored`,
    ]);
  });
});
