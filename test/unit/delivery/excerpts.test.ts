import { describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MILLISECONDS } from '../../../src/clock.ts';
import { Excerpts, eraseExcerpts, holdsExcerpts } from '../../../src/delivery/send/excerpts.ts';
import { DISK_ELSEWHERE } from '../../../src/stores/diskSpace.ts';
import { openEmbeddedTopics } from '../../../src/stores/embedded/topics.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

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
