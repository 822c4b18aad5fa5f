import { existsSync } from 'node:fs';
import { TributaryError } from '#client';
import { systemClock as clock } from '../../clock.ts';
import { retrying } from '../../supervision/retrying.ts';
import { Connection, pauseAfter } from './connection.ts';
import { Jobs } from './job.ts';
import { Names } from './names.ts';
import { once } from './once.ts';
import { reasonOf } from './reason.ts';
import { BarReport, LineReport, type Report } from './report.ts';
import { checkOptions, commonSettings, remoteOf, type TranscribeOptions, writesToStdout } from './settings.ts';
import { type Source, sourcesOf } from './sources.ts';
import { watch, watchedFolders } from './watch.ts';
import { WrongUse } from './wrongUse.ts';

/** `tributary transcribe`. Resolves with the exit code: 0 all done, 1 some failed, 2 wrong use, 130 after Ctrl-C, 143 after SIGTERM. */
export const transcribe = async (words: readonly string[], options: TranscribeOptions): Promise<number> => {
  const stop = new AbortController();
  const forget = stopOnSignals(stop);
  try {
    return await begun(words, options, stop.signal);
  } catch (error) {
    if (error instanceof Stopped) return error.exitCode;
    process.stderr.write(`${reasonOf(error)}\n`);
    return error instanceof WrongUse ? 2 : 1;
  } finally {
    forget();
  }
};

/** Ctrl-C or SIGTERM. */
class Stopped extends Error {
  constructor(readonly exitCode: number) {
    super('stopped');
  }
}

/** The second Ctrl-C ends the process at once. */
const stopOnSignals = (stop: AbortController): (() => void) => {
  const onInterrupt = (): void => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Stopped(130));
  };
  const onTerminate = (): void => stop.abort(new Stopped(143));
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  return () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
};

const begun = async (words: readonly string[], options: TranscribeOptions, signal: AbortSignal): Promise<number> => {
  checkOptions(options, words);
  const remote = remoteOf(options, process.env);
  const folders = options.watch ? await watchedFolders(words) : null;
  const sources = folders ? [] : await sourcesOf(words);
  if (!folders && sources.length === 0) {
    process.stderr.write(`There are no recordings in ${words.join(', ')}.\n`);
    return 0;
  }
  const connection = new Connection({ remote, clock, grace: folders ? GRACE_MILLISECONDS : 0, onStarting });
  try {
    await checkSettings(connection, options, signal);
    const jobs = jobsOf(connection, options, words, sources);
    const report = reportOf(folders ? null : sources.length);
    const working = folders
      ? watch(folders, { jobs, report, options, clock }, signal)
      : once(sources, { jobs, report, options, toStdout: writesToStdout(options, words) }, signal);
    return await working.catch(async (error: unknown) => {
      // SIGTERM leaves the streams to the next start of a watch.
      if (error instanceof Stopped && error.exitCode === 130) {
        await jobs.cancel().catch(() => undefined);
        process.stderr.write('Canceled.\n');
      }
      throw error;
    });
  } finally {
    await connection.close();
  }
};

/** How long a watch waits for the server of this machine, which may be restarting. */
const GRACE_MILLISECONDS = 10_000;

const onStarting = (dataDir: string): void => {
  process.stderr.write(`No server runs here: transcribing in this process, with the data in ${dataDir}.\n`);
};

const jobsOf = (connection: Connection, options: TranscribeOptions, words: readonly string[], sources: readonly Source[]): Jobs => {
  const { format: formats, summary = false, keep, force = false, watch: watching = false } = options;
  const given = new Set(sources.flatMap((source) => (source.kind === 'file' ? [source.path] : [])));
  return new Jobs({
    ...{ connection, clock, formats, summary, force, watching },
    names: new Names(),
    settings: commonSettings(options),
    keep: keep !== undefined,
    toStdout: writesToStdout(options, words),
    // A watch writes over nothing; a single run only spares what it was given.
    taken: (outputs) => outputs.some((path) => (watching ? existsSync(path) : given.has(path))),
  });
};

const reportOf = (total: number | null): Report =>
  process.stderr.isTTY ? new BarReport(clock, process.stderr, total) : new LineReport((text) => process.stderr.write(text));

/** How long a single run waits for the server of this machine to start. */
const RESTART_MILLISECONDS = 15_000;

/** Lets the server check template, patches and engines, with an upload without bytes, which creates nothing. */
const checkSettings = async (connection: Connection, options: TranscribeOptions, signal: AbortSignal): Promise<void> => {
  const check = async (): Promise<void> => {
    const { tributary } = await connection.server();
    await tributary.upload({ ...commonSettings(options), body: '', signal });
  };
  const until = clock.monotonic() + RESTART_MILLISECONDS;
  const retryIf = (error: unknown): boolean => {
    const waits = options.watch ? connection.isPassing(error) : connection.isRestarting(error) && clock.monotonic() < until;
    if (waits) connection.lost();
    return waits;
  };
  const onFailure = (error: unknown): void => void process.stderr.write(`Waiting. ${reasonOf(error)}\n`);
  try {
    await retrying(check, { clock, signal, retryIf, leastPause: pauseAfter, onFailure });
  } catch (error) {
    if (!(error instanceof TributaryError) || error.status >= 500) throw error;
    if (error.message.startsWith(EMPTY)) return;
    throw error.status === 429 ? error : new WrongUse([...new Set([error, ...error.nestedErrors].map(({ message }) => message))].join(' '));
  }
};

/** Of a server that refuses an upload without bytes. All else has passed its checks. */
const EMPTY = 'The body is empty.';
