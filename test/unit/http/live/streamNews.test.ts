import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { openStreamNews } from '../../../../src/http/streamNews.ts';
import { openEmbeddedEventStore } from '../../../../src/stores/embedded/eventStore.ts';
import type { EventStore } from '../../../../src/stores/eventStore.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';

const LONG = 15_000;
const never = new AbortController().signal;

describe('news of streams', () => {
  let store: EventStore;
  const create = (streamId: string, groupId: string) =>
    store.append(`stream-${streamId}`, 'no stream', [{ id: randomUUID(), type: 'StreamCreated', data: { groupId }, metadata: {} }]);

  beforeEach(async () => {
    store = await openEmbeddedEventStore({ dataDir: temporaryDirectory(), clock: systemClock });
    onTestFinished(() => store.close());
  });

  it('reach those that wait for a stream or its group, and no others', async () => {
    const news = openStreamNews({ store, clock: systemClock });
    const [stream, group] = [randomUUID(), randomUUID()];
    const listeners = [stream, group, randomUUID()].map((id) => news.listen(id));
    // The log is followed from its end on: what the first look already sees is not news.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const [ofStream, ofGroup, ofOther] = listeners.map((listener, n) => listener.next(n < 2 ? LONG : 300, never));
    await create(stream, group);
    expect(await Promise.all([ofStream, ofGroup, ofOther])).toEqual([true, true, false]);
    for (const listener of listeners) listener.stop();
  });

  it('are not missed between two waits', async () => {
    const news = openStreamNews({ store, clock: systemClock });
    const [first, second] = [randomUUID(), randomUUID()];
    const listener = news.listen(first);
    const other = news.listen(second);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await create(first, first);
    await create(second, second);
    expect(await other.next(LONG, never)).toBe(true);
    expect(await listener.next(LONG, never)).toBe(true);
    expect(await listener.next(10, never)).toBe(false);
    listener.stop();
    other.stop();
  });

  it('end with the reason of the signal', async () => {
    const listener = openStreamNews({ store, clock: systemClock }).listen('s');
    const gone = new AbortController();
    const waiting = listener.next(LONG, gone.signal);
    gone.abort(new Error('the reader has gone'));
    await expect(waiting).rejects.toThrow('the reader has gone');
    listener.stop();
  });
});
