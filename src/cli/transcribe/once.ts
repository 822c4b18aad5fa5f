import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { toStdout as print } from '../runOperation.ts';
import { withStandardInput } from './content.ts';
import type { Finished, Jobs, Work } from './job.ts';
import { limited } from './limited.ts';
import { placeOf } from './names.ts';
import type { Outcome } from './outcome.ts';
import type { Report } from './report.ts';
import type { TranscribeOptions } from './settings.ts';
import type { Source } from './sources.ts';

export interface OnceDeps {
  readonly jobs: Jobs;
  readonly report: Report;
  readonly options: TranscribeOptions;
  readonly toStdout: boolean;
}

/** Transcribes the sources, a few at a time. Resolves with the exit code. */
export const once = async (sources: readonly Source[], deps: OnceDeps, signal: AbortSignal): Promise<number> => {
  const { jobs, report, options } = deps;
  const outcomes: Outcome[] = [];
  const results = new InOrder();
  const places = sources.map((source) => placeOf(source, options.output ?? null));
  // In the order of the sources, so that the names do not depend on which one is ready first.
  for (const [n, source] of sources.entries()) if (source.kind !== 'stdin') jobs.reserve(source, placeAt(places, n));
  try {
    await limited(sources.entries(), options.jobs, async ([n, source]) => {
      const fileReport = report.begin(source.shown, await bytesOf(source));
      const onSent = (bytes: number, total: number | null) => fileReport.sent(bytes, total);
      const hooks = { onSent, onWaiting: (reason: string) => fileReport.waiting(reason) };
      const { result, changed: _, ...finished } = await runOne(jobs, source, { place: placeAt(places, n), ...hooks }, signal);
      const outcome = { file: source.shown, ...finished };
      outcomes.push(outcome);
      fileReport.end(outcome);
      if (options.json) await print(`${JSON.stringify(outcome)}\n`);
      if (deps.toStdout) await results.put(n, result);
    });
  } finally {
    report.end(outcomes);
  }
  const [only] = outcomes;
  if (only && sources.length === 1 && process.stdout.isTTY && !options.json) await show(only);
  return outcomes.some(({ status }) => status === 'failed') ? 1 : 0;
};

const runOne = (jobs: Jobs, source: Source, work: Omit<Work, 'source'>, signal: AbortSignal): Promise<Finished> => {
  if (source.kind !== 'stdin') return jobs.run({ ...work, source }, signal);
  return withStandardInput((path) => jobs.run({ ...work, source: { kind: 'file', shown: '-', path, below: '' } }, signal), signal);
};

const placeAt = (places: readonly ReturnType<typeof placeOf>[], n: number) => {
  const place = places[n];
  if (!place) throw new Error('each source has a place');
  return place;
};

const bytesOf = async (source: Source): Promise<number | null> => {
  if (source.kind !== 'file') return null;
  return (await stat(source.path).catch(() => null))?.size ?? null;
};

/** A person at a terminal wants to read the text. */
const show = async ({ outputs: [path] }: Outcome): Promise<void> => {
  if (path !== undefined && extname(path) !== '.docx') await print(await readFile(path, 'utf8'));
};

/** Prints results in the order of their sources. */
class InOrder {
  readonly #waiting = new Map<number, Uint8Array | null>();
  #next = 0;

  async put(n: number, result: Uint8Array | null): Promise<void> {
    this.#waiting.set(n, result);
    for (let ready = this.#waiting.get(this.#next); ready !== undefined; ready = this.#waiting.get(this.#next)) {
      this.#waiting.delete(this.#next);
      this.#next += 1;
      if (ready) await print(ready);
    }
  }
}
