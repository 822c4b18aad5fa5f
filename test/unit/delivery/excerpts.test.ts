import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MILLISECONDS } from '../../../src/clock.ts';
import { Excerpts, eraseExcerpts, holdsExcerpts } from '../../../src/delivery/send/excerpts.ts';
import { eraseFormerExcerpts, holdsFormerExcerpts } from '../../../src/delivery/send/formerExcerpts.ts';
import { DISK_ELSEWHERE } from '../../../src/stores/diskSpace.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

const opened = async () => {
  const clock = new ManualClock();
  const topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock });
  onTestFinished(() => topics.close());
  const deps = { topics, clock, disk: DISK_ELSEWHERE };
  return { clock, deps, excerpts: new Excerpts(deps) };
};

/** Keeps several at once, as running attempts do. */
const keep = async (excerpts: Excerpts, subject: string): Promise<string[]> =>
  (await Promise.all(['one', 'two', 'three'].map((text) => excerpts.keep(subject, text)))).map((place) => place ?? '');

describe('excerpts of answers', () => {
  it('are found by their places alone, also by another process', async () => {
    const { deps, excerpts } = await opened();
    const places = await keep(excerpts, 'someone');
    expect([...(await new Excerpts(deps).read(places)).values()].sort()).toEqual(['one', 'three', 'two']);
  });

  it('expire after seven days', async () => {
    const { clock, excerpts } = await opened();
    const places = await keep(excerpts, 'someone');
    const isHeld = () => holdsExcerpts(places[0]?.split('/')[0] ?? '', clock.now());
    await clock.advance(7 * DAY_MILLISECONDS);
    await excerpts.sweep();
    expect([isHeld(), (await excerpts.read(places)).size]).toEqual([true, 3]);
    await clock.advance(DAY_MILLISECONDS);
    await excerpts.sweep();
    expect([isHeld(), (await excerpts.read(places)).size]).toEqual([false, 0]);
  });

  it('are all deleted when their owner is erased, and those of others are not', async () => {
    const { clock, deps, excerpts } = await opened();
    const places = await keep(excerpts, 'someone');
    await clock.advance(3 * DAY_MILLISECONDS);
    places.push(...(await keep(excerpts, 'someone')));
    const others = await keep(excerpts, 'another');
    await eraseExcerpts(deps, 'someone');
    expect([(await excerpts.read(places)).size, (await excerpts.read(others)).size]).toEqual([0, 3]);
  });
});

describe('excerpts of version 0.1.0', () => {
  const documentsIn = async (directory: string) => {
    const documents = await openEmbeddedDocuments({
      startWriter: documentsWriterInThread,
      file: join(directory, 'views.db'),
      durability: 'NORMAL',
    });
    onTestFinished(() => documents.close());
    return documents;
  };

  it('are kept for seven days, and deleted when their owner is erased', async () => {
    const { clock, deps } = await opened();
    const directory = temporaryDirectory();
    const earlier = await documentsIn(directory);
    await earlier.ensureCollection({ name: 'webhookExcerpts', indexes: [['day'], ['subject']] });
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    for (const [topic, subject] of Object.entries({ one: 'someone', two: 'someone', three: 'another' }))
      await earlier.create('webhookExcerpts', topic, { subject, day });
    await earlier.close();
    const documents = await documentsIn(directory);
    const held = async () =>
      await Promise.all(['one', 'two', 'three', 'four'].map((topic) => holdsFormerExcerpts(documents, clock, topic)));
    expect(await held()).toEqual([true, true, true, false]);
    await eraseFormerExcerpts(documents, deps.topics, 'someone');
    expect(await held()).toEqual([false, false, true, false]);
    await clock.advance(8 * DAY_MILLISECONDS);
    expect(await held()).toEqual([false, false, false, false]);
  });

  it('leave nothing in a new store', async () => {
    const { clock, deps } = await opened();
    const documents = await documentsIn(temporaryDirectory());
    expect(await holdsFormerExcerpts(documents, clock, 'one')).toBe(false);
    await eraseFormerExcerpts(documents, deps.topics, 'someone');
    expect(await documents.listCollections('webhook')).toEqual([]);
  });
});
