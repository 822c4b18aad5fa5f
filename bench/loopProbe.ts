import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { type Ran, recordWhatRuns } from './restProfile.ts';

/**
 * Loaded into a measured server before its own code (`node --import`). `watch` starts a measurement, `tell` returns its figures. Before the first
 * `watch` it takes no samples: a thousand a second cost a percent of a core. `profile` starts to record what runs, `profiled` returns it.
 */
export interface Watched {
  /** Delay of the event loop in milliseconds, including the clock's own millisecond: the 99th percentile and the maximum. */
  readonly delayP99: number;
  readonly delayMax: number;
  /** Largest resident memory above the initial one, bytes. */
  readonly memoryGrowth: number;
  /** Of the whole process since its start. */
  readonly cpuMilliseconds: number;
}

const SAMPLE_MILLISECONDS = 20;
const NANOSECONDS = 1e6;

if (isMainThread && process.send) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  let sampling = false;
  let [first, most] = [0, 0];
  const sample = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  let recorded: (() => Promise<Ran>) | null = null;
  process.on('message', async (message) => {
    sample();
    if (message === 'watch') {
      delays.enable();
      delays.reset();
      if (!sampling) setInterval(sample, SAMPLE_MILLISECONDS).unref();
      sampling = true;
      first = most = process.memoryUsage.rss();
      process.send?.('watching');
    } else if (message === 'tell') {
      const watched: Watched = {
        delayP99: delays.percentile(99) / NANOSECONDS,
        delayMax: delays.max / NANOSECONDS,
        memoryGrowth: most - first,
        cpuMilliseconds: (process.cpuUsage().user + process.cpuUsage().system) / 1000,
      };
      process.send?.(watched);
    } else if (message === 'profile') {
      recorded = await recordWhatRuns();
      process.send?.('profiling');
    } else if (message === 'profiled') process.send?.((await recorded?.()) ?? {});
  });
  // The bench's connection must not keep the server alive.
  process.channel?.unref();
}
