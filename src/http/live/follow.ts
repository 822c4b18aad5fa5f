import type { Clock } from '../../clock.ts';
import { runsOf } from '../../domain/stream/attempts.ts';
import type { ReadModels } from '../../projections/readModels.ts';
import { type StreamDocument, streamsProjection } from '../../projections/streams.ts';
import { pooledRandomBytes } from '../../randomPool.ts';
import { type Sink, topicOf } from '../../results/sinks.ts';
import { type Frame, TopicMissing, type Topics } from '../../stores/topics.ts';
import type { NewsListener, StreamNews } from '../streams/streamNews.ts';

export interface FollowDeps {
  readonly topics: Pick<Topics, 'read'>;
  readonly clock: Clock;
  readonly readModels: ReadModels;
  readonly news: StreamNews;
}

export interface SinkFrame {
  readonly sink: Sink;
  readonly frame: Frame;
}

const FIRST_STEP_MS = 10;
/** News come at once; this is for those that are lost. */
const LAST_STEP_MS = 2_000;
/** Like `LAST_STEP_MS`, for a sink that is being read. */
const WATCH_MILLISECONDS = 10_000;
// Created once: the default reason builds an exception with a stack each time.
const LOOK_AGAIN = new Error('the stream has changed');

/**
 * The frames of a sink after a sequence (-1: from the first one kept), then each new one, until the sink is sealed or can get no more because its
 * processor or stream has ended. Waits for a sink that does not exist yet. If a run starts again and recreates its sink, continues after the
 * frames already given. Throws the signal's reason when it aborts.
 */
export async function* followSink(deps: FollowDeps, sink: Sink, after: number, signal: AbortSignal): AsyncGenerator<SinkFrame> {
  const listener = deps.news.listen(sink.stream.streamId);
  try {
    yield* framesAfter(deps, sink, after, signal, listener);
  } finally {
    listener.stop();
  }
}

async function* framesAfter(
  deps: FollowDeps,
  sink: Sink,
  after: number,
  signal: AbortSignal,
  listener: NewsListener,
): AsyncGenerator<SinkFrame> {
  const topic = topicOf(sink);
  let last = after;
  for (let step = FIRST_STEP_MS; ; step = Math.min(step * 2, LAST_STEP_MS)) {
    const seen = await lookAt(deps, sink);
    const over = isOver(seen, sink);
    if (over && sink.partials) return;
    // The topic is made before the run starts, and the start is told.
    const waits = !over && runOf(seen, sink)?.state === 'WAITING';
    const watch = over || waits ? null : new Watch(deps, sink, signal);
    try {
      if (waits) throw LOOK_AGAIN;
      const options = { after: last, follow: !over, signal: watch?.signal ?? signal };
      for await (const frame of deps.topics.read(topic, options)) {
        last = frame.sequence;
        step = FIRST_STEP_MS;
        yield { sink, frame };
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error !== LOOK_AGAIN && !(error instanceof TopicMissing)) throw error;
      if (over) return;
    } finally {
      watch?.end();
    }
    if (await listener.next(spread(step), signal)) step = FIRST_STEP_MS;
  }
}

/** Shortens a wait by up to half at random, so that readers that connected together do not all look at the same time. */
const spread = (milliseconds: number): number => milliseconds * (0.5 + (pooledRandomBytes(1)[0] ?? 0) / 512);

/** The state of a stream when it was looked at; null if it was not found. */
type Seen = StreamDocument | null;

const lookAt = ({ readModels }: FollowDeps, { stream: { streamId } }: Sink): Promise<Seen> =>
  readModels.getFresh(streamsProjection, streamId, `stream-${streamId}`);

const runOf = (seen: Seen, { processor }: Sink) => (seen ? runsOf(seen, processor.id)[0] : undefined);

/** Whether the sink can get no more frames. */
const isOver = (seen: Seen, sink: Sink): boolean => {
  if (seen?.state !== 'READY') return true;
  const run = runOf(seen, sink);
  // A later rerun writes to another topic.
  if (run && run.streamAttempt > sink.stream.attempt) return true;
  return run?.state !== 'WAITING' && run?.state !== 'RUNNING';
};

/** Ends a read of a sink that was left unsealed by a stream that has ended, on any node. */
class Watch {
  readonly signal: AbortSignal;
  readonly #ended = new AbortController();

  constructor(deps: FollowDeps, sink: Sink, signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#ended.signal]);
    this.#watch(deps, sink).catch(ignore);
  }

  end(): void {
    this.#ended.abort(LOOK_AGAIN);
  }

  async #watch(deps: FollowDeps, sink: Sink): Promise<void> {
    const listener = deps.news.listen(sink.stream.streamId);
    try {
      // News may have come between the look before this watch and its listener.
      for (let wait = LAST_STEP_MS; ; ) {
        await listener.next(spread(wait), this.signal);
        wait = await this.#look(deps, sink);
      }
    } finally {
      listener.stop();
    }
  }

  /** Returns when to look again, in milliseconds. */
  async #look(deps: FollowDeps, sink: Sink): Promise<number> {
    try {
      if (isOver(await lookAt(deps, sink), sink)) this.end();
      return WATCH_MILLISECONDS;
    } catch {
      return LAST_STEP_MS;
    }
  }
}

const ignore = (): void => {};
