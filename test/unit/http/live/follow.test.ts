import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../../src/clock.ts';
import { type FollowDeps, followSink } from '../../../../src/http/live/follow.ts';
import { merged } from '../../../../src/http/live/merged.ts';
import { type StreamDocument, streamsProjection } from '../../../../src/projections/streams.ts';
import { openEmbeddedTopics } from '../../../../src/stores/embedded/topics.ts';
import type { Topics } from '../../../../src/stores/topics.ts';
import { eventually } from '../../../eventually.ts';
import { ManualNews } from '../../../fakes/manualNews.ts';
import { MemoryReadModels } from '../../../fakes/memoryReadModels.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { ProjectedStream } from '../projectedStream.ts';
import { OWNER } from '../served.ts';

const MOST_WAIT = 200;

describe('following a sink', () => {
  let topics: Topics;
  let deps: FollowDeps;
  let story: ProjectedStream;
  let topic: string;
  let document: StreamDocument;

  beforeEach(async () => {
    topics = await openEmbeddedTopics({ directory: temporaryDirectory(), clock: systemClock });
    onTestFinished(() => topics.close());
    const readModels = new MemoryReadModels();
    const streamId = randomUUID();
    story = new ProjectedStream(readModels, {
      streamId,
      creatorId: OWNER,
      groupId: streamId,
      processors: [{ id: 'echo', schema: 'bytes' }],
    });
    const told = await readModels.get(streamsProjection, streamId);
    if (!told) throw new Error('the story was not told');
    document = told;
    topic = randomUUID();
    // It only waits, and not for long: it is never notified.
    const listen = () => ({
      next: async (milliseconds: number, signal: AbortSignal) => {
        await systemClock.pause(Math.min(milliseconds, MOST_WAIT), signal);
        signal.throwIfAborted();
        return false;
      },
      stop: () => {},
    });
    deps = { topics, clock: systemClock, readModels, news: { listen } };
  });

  const follow = (after = -1, signal = new AbortController().signal) => {
    const [processor] = document.stream.configuration.processors;
    if (!processor) throw new Error('the story has no processor');
    const sink = {
      maker: processor.id,
      sources: [],
      stream: { ...document.stream, fileName: null, audioLength: 0 },
      processor: { ...processor, destination: { ...processor.destination, topic: `x/${topic}` } },
    };
    const seen: string[] = [];
    const done = (async () => {
      for await (const { frame } of followSink(deps, sink, after, signal)) seen.push(`${frame.sequence}${Buffer.from(frame.data)}`);
    })();
    done.catch(() => undefined);
    return { seen, done };
  };
  const write = async (...texts: string[]) => {
    await topics.create(topic);
    await topics.append(
      topic,
      texts.map((text) => Buffer.from(text)),
    );
  };

  it('waits for a sink that does not exist yet, and ends when it is sealed', async () => {
    const { seen, done } = follow();
    await write('a');
    story.start('echo');
    await eventually(() => expect(seen).toEqual(['0a']));
    await topics.append(topic, [Buffer.from('b')]);
    await topics.seal(topic);
    await done;
    expect(seen).toEqual(['0a', '1b']);
  });

  it('continues without repeating when the run starts again', async () => {
    story.start('echo');
    const { seen, done } = follow();
    await write('a', 'b');
    await eventually(() => expect(seen).toEqual(['0a', '1b']));
    await write('a', 'b', 'c');
    await eventually(() => expect(seen).toEqual(['0a', '1b', '2c']));
    await topics.seal(topic);
    await done;
  });

  it('ends when its processor ends without a sink, or the stream ends with the sink unsealed', async () => {
    const never = follow();
    await write('a');
    story.start('echo');
    const left = follow();
    await eventually(() => expect(left.seen).toEqual(['0a']));
    story.tell({ type: 'StreamCanceled', data: { reason: 'Canceled by user' } });
    await left.done;
    await never.done;
  });

  it('ends soon after news that its stream has ended', async () => {
    // Nothing but news ends a wait.
    const pause: Clock['pause'] = (_, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) resolve('aborted');
        signal?.addEventListener('abort', () => resolve('aborted'));
      });
    const news = new ManualNews(Object.assign(Object.create(systemClock), { pause }));
    deps = { ...deps, news };
    await write('a');
    story.start('echo');
    const { seen, done } = follow();
    await eventually(() => expect(seen).toEqual(['0a']));
    story.tell({ type: 'StreamCanceled', data: { reason: 'Canceled by user' } });
    news.tell(document.streamId);
    await done;
    expect(seen).toEqual(['0a']);
  });

  it('does not look for the sink of a processor that waits', async () => {
    let [reads, waits] = [0, 0];
    const read: Topics['read'] = (...args) => {
      reads += 1;
      return topics.read(...args);
    };
    const listen = () => ({
      next: async (milliseconds: number, signal: AbortSignal) => {
        waits += 1;
        await systemClock.pause(milliseconds, signal);
        signal.throwIfAborted();
        return false;
      },
      stop: () => {},
    });
    const counted: Topics = Object.assign(Object.create(topics), { read });
    deps = { ...deps, topics: counted, news: { listen } };
    const gone = new AbortController();
    const { seen, done } = follow(-1, gone.signal);
    await eventually(() => expect(waits).toBeGreaterThan(2));
    expect(reads).toBe(0);
    await write('a');
    story.start('echo');
    await eventually(() => expect(seen).toEqual(['0a']));
    gone.abort(new Error('the reader has gone'));
    await expect(done).rejects.toThrow('the reader has gone');
  });

  it('ends with the reason of its signal, before or in the sink', async () => {
    story.start('echo');
    for (const begin of [async () => {}, () => write('a')]) {
      await begin();
      const gone = new AbortController();
      const { done } = follow(-1, gone.signal);
      setImmediate(() => gone.abort(new Error('the reader has gone')));
      await expect(done).rejects.toThrow('the reader has gone');
    }
  });
});

describe('merged sources', () => {
  const open = (log: string[], name: string, items: readonly string[], end?: () => Promise<unknown>) =>
    (async function* () {
      try {
        for (const item of items) yield `${name}${item}`;
        await end?.();
      } finally {
        log.push(name);
      }
    })();

  it('give each item as it comes, in order per source, until all have ended', async () => {
    const log: string[] = [];
    let free = (): void => {};
    const late = new Promise<void>((resolve) => {
      free = resolve;
    });
    const seen: string[] = [];
    for await (const item of merged([open(log, 'a', ['1'], () => late), open(log, 'b', ['1', '2', '3'])])) {
      seen.push(item);
      if (seen.length === 4) free();
    }
    expect(seen.filter((item) => item.startsWith('b'))).toEqual(['b1', 'b2', 'b3']);
    expect(log.sort()).toEqual(['a', 'b']);
  });

  it('fail when one fails, and are all ended when the reader stops', async () => {
    const log: string[] = [];
    await expect(async () => {
      for await (const _ of merged([open(log, 'a', ['1', '2', '3']), open(log, 'b', [], () => Promise.reject(new Error('broken')))]));
    }).rejects.toThrow('broken');
    for await (const _ of merged([open(log, 'c', ['1', '2']), open(log, 'd', ['1', '2'])])) break;
    await eventually(() => expect(log.sort()).toEqual(['a', 'b', 'c', 'd']));
  });
});
