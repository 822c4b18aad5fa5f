import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { openStreamNews } from '../../../../src/http/streams/streamNews.ts';
import { openEmbeddedEventStore } from '../../../../src/stores/embedded/eventStore.ts';
import type { EventStore, SubscribeOptions } from '../../../../src/stores/eventStore.ts';
import { eventually } from '../../../eventually.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { logWriterInThread } from '../../../writersInThread.ts';

const LONG = 15_000;
const never = new AbortController().signal;

describe('news of streams', () => {
  let store: EventStore;
  const create = (streamId: string, groupId: string) =>
    store.append(`stream-${streamId}`, 'no stream', [{ id: randomUUID(), type: 'StreamCreated', data: { groupId }, metadata: {} }]);

  let subscribed: boolean;
  /** The log is followed from where its end was: what comes behind it is news. */
  const following = () => eventually(() => subscribed);
  const watched = () => ({
    head: () => store.head(),
    subscribe: (options: SubscribeOptions) => {
      subscribed = true;
      return store.subscribe(options);
    },
  });

  beforeEach(async () => {
    subscribed = false;
    store = await openEmbeddedEventStore({ startWriter: logWriterInThread, dataDir: temporaryDirectory(), clock: systemClock });
    onTestFinished(() => store.close());
  });

  it('reaches only readers that wait for that stream or its group', async () => {
    const news = openStreamNews({ store: watched(), clock: systemClock });
    const [stream, group] = [randomUUID(), randomUUID()];
    const listeners = [stream, group, randomUUID()].map((id) => news.listen(id));
    await following();
    const [ofStream, ofGroup, ofOther] = listeners.map((listener, n) => listener.next(n < 2 ? LONG : 300, never));
    await create(stream, group);
    expect(await Promise.all([ofStream, ofGroup, ofOther])).toEqual([true, true, false]);
    for (const listener of listeners) listener.stop();
  });

  it('is not missed between two waits', async () => {
    const news = openStreamNews({ store: watched(), clock: systemClock });
    const [first, second] = [randomUUID(), randomUUID()];
    const listener = news.listen(first);
    const other = news.listen(second);
    await following();
    await create(first, first);
    await create(second, second);
    expect(await other.next(LONG, never)).toBe(true);
    expect(await listener.next(LONG, never)).toBe(true);
    expect(await listener.next(10, never)).toBe(false);
    listener.stop();
    other.stop();
  });

  it.each(['StreamCompleted', 'StreamFailed', 'StreamCanceled', 'StreamExpired'])('announces %s', async (type) => {
    const stream = randomUUID();
    const listener = openStreamNews({ store: watched(), clock: systemClock }).listen(stream);
    await following();
    await store.append(`stream-${stream}`, 'no stream', [{ id: randomUUID(), type, data: {}, metadata: {} }]);
    expect(await listener.next(LONG, never)).toBe(true);
    listener.stop();
  });

  it('ends with the reason of the signal', async () => {
    const listener = openStreamNews({ store: watched(), clock: systemClock }).listen('s');
    const gone = new AbortController();
    const waiting = listener.next(LONG, gone.signal);
    gone.abort(new Error('the reader has gone'));
    await expect(waiting).rejects.toThrow('the reader has gone');
    listener.stop();
  });
});
