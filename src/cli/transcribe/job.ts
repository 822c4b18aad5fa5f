import { type Stream, TributaryError } from '#client';
import type { Clock } from '../../clock.ts';
import { Serial } from '../../stores/serial.ts';
import { retrying } from '../../supervision/retrying.ts';
import { type Connection, pauseAfter, type Server } from './connection.ts';
import { type Content, contentOf } from './content.ts';
import type { Format } from './formats.ts';
import { mayBeCalled, type Names, nameOf, type Place } from './names.ts';
import type { Outcome } from './outcome.ts';
import { allExist, allWrittenSince, OutputFailed, Outputs, outputPaths } from './outputs.ts';
import { reasonOf } from './reason.ts';
import type { CommonSettings } from './settings.ts';
import type { Source } from './sources.ts';
import { resultsOf, send, type Try, triesOf } from './transcription.ts';

export interface JobDeps {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly names: Names;
  readonly settings: CommonSettings;
  readonly formats: readonly Format[];
  readonly summary: boolean;
  /** Whether streams stay when their outputs are written. */
  readonly keep: boolean;
  readonly force: boolean;
  /** Whether results are returned instead of written. */
  readonly toStdout: boolean;
  /** Waits for a server that is away, and for room for outputs, as long as it takes. */
  readonly watching: boolean;
  /** Whether a source must not have these outputs. */
  readonly taken: (outputs: readonly string[]) => boolean;
}

/** A source with its place. */
export interface Work {
  readonly source: Source & { readonly kind: 'file' | 'link' };
  readonly place: Place;
  readonly onSent: (bytes: number, total: number | null) => void;
  /** The server is away, or has no room: why the work waits. */
  readonly onWaiting: (reason: string) => void;
}

export interface Finished extends Omit<Outcome, 'file'> {
  /** The result, if it is not written to files. */
  readonly result: Uint8Array | null;
  /** The file changed while it was sent: nothing was made of it. */
  readonly changed?: true;
}

/** Milliseconds that a single run waits for a server that cannot be reached, and for one that answers that it is busy. */
const PATIENCE = { unreachable: 60_000, busy: 600_000 } as const;

/** Turns sources into outputs, each on its own. Work on equal content waits for each other. */
export class Jobs {
  readonly #deps: JobDeps;
  readonly #serial = new Serial();
  /** Streams that this process has begun and not ended. */
  readonly #open = new Set<string>();

  constructor(deps: JobDeps) {
    this.#deps = deps;
  }

  /** Rejects only when the signal aborts. */
  async run(work: Work, signal: AbortSignal): Promise<Finished> {
    try {
      const content = await contentOf(work.source, signal);
      return await this.#serial.run(content.id, () => this.#patiently(new Job(this.#deps, work, content, this.#open), work, signal));
    } catch (error) {
      signal.throwIfAborted();
      return failed(null, reasonOf(error));
    }
  }

  /** Gives the outputs of a source their name before it is its turn. */
  reserve(source: Source, place: Place): void {
    nameFor(this.#deps, source, place, null);
  }

  /** The source has gone: another one of its path is a new one. */
  release(source: string): void {
    this.#deps.names.release(source);
  }

  /** Cancels the streams that run, and deletes their data. */
  async cancel(): Promise<void> {
    const { tributary } = await this.#deps.connection.server();
    await Promise.allSettled([...this.#open].map((streamId) => deleteStream(tributary, streamId)));
  }

  #patiently(job: Job, { onWaiting }: Work, signal: AbortSignal): Promise<Finished> {
    const { connection, clock, watching } = this.#deps;
    let since = 0;
    let last = Number.NEGATIVE_INFINITY;
    const retryIf = (error: unknown): boolean => {
      if (error instanceof OutputFailed) return watching;
      if (!connection.isPassing(error)) return false;
      connection.lost();
      const now = clock.monotonic();
      if (now - last > PATIENCE.unreachable) since = now;
      last = now;
      return watching || now - since < (error instanceof TributaryError ? PATIENCE.busy : PATIENCE.unreachable);
    };
    return retrying(() => job.finish(signal), {
      clock,
      signal,
      retryIf,
      leastPause: pauseAfter,
      onFailure: (error) => onWaiting(reasonOf(error)),
    });
  }
}

/** The way of one source. It may be begun again after any failure: what was done before is found. */
class Job {
  readonly #deps: JobDeps;
  readonly #work: Work;
  readonly #content: Content;
  readonly #open: Set<string>;
  /** The stream that this job has sent. An earlier one that failed is tried again, this one is not. */
  #own: string | null = null;
  /** The outputs are there: all that is left is to delete the stream. */
  #written: Finished | null = null;
  /** Keys that cannot be used: taken with other parameters. */
  readonly #spoiled = new Set<string>();
  readonly #outputs: Outputs;
  /** The newest stream whose outputs were written. Some of them are missing now. */
  #former: Stream | null = null;

  constructor(deps: JobDeps, work: Work, content: Content, open: Set<string>) {
    this.#deps = deps;
    this.#work = work;
    this.#content = content;
    this.#open = open;
    this.#outputs = new Outputs(work.place.folder, deps.toStdout ? [] : deps.formats, deps.force);
  }

  async finish(signal: AbortSignal): Promise<Finished> {
    for (;;) {
      signal.throwIfAborted();
      const server = await this.#deps.connection.server();
      const finished = this.#written ? await this.#cleared(server, this.#written) : await this.#attempt(server, signal);
      if (finished !== null) return finished;
    }
  }

  /** `null`: look again. */
  async #attempt(server: Server, signal: AbortSignal): Promise<Finished | null> {
    const chosen = await this.#choose(server);
    if ('done' in chosen) return chosen.done;
    const { streamId, stream } = chosen;
    const name = stream === null ? this.#freeName(this.#name(this.#former), null) : this.#name(stream);
    this.#open.add(streamId);
    const finished =
      stream === null ? await this.#sendAndCollect(server, chosen, name, signal) : await this.#collect(server, streamId, name, signal);
    this.#open.delete(streamId);
    return finished;
  }

  async #sendAndCollect(server: Server, chosen: Try, name: string, signal: AbortSignal): Promise<Finished | null> {
    const { streamId } = chosen;
    if (!(await this.#send(server, chosen, name, signal))) return null;
    if (!(await this.#content.changed())) return this.#collect(server, streamId, name, signal);
    await deleteStream(server.tributary, streamId);
    return { ...failed(streamId, 'It changed while it was sent. Run the command again.'), changed: true };
  }

  /** The try to continue, or the outcome of an earlier one. */
  async #choose(server: Server): Promise<Try | { readonly done: Finished }> {
    const { settings, force } = this.#deps;
    for await (const one of triesOf(server, this.#content.id, settings)) {
      const { stream, streamId, key } = one;
      if (stream === null && !this.#spoiled.has(key)) return one;
      if (streamId === this.#own) return one;
      if (stream === null || force || hasFailed(stream)) continue;
      const outputs = this.#outputsOf(stream);
      if (outputs) return { done: { status: 'skipped', streamId, outputs, error: null, result: null } };
      if (this.#wasWrittenFor(stream)) {
        this.#outputs.keep();
        this.#former = stream;
      }
      if (stream.state !== 'EXPIRED') return one;
    }
    throw new Error('there is always another try');
  }

  /**
   * The outputs of an earlier run, if they were written: their stream had their name and is deleted, or is older than they are where streams are kept.
   * A deleted stream of another name was of equal content elsewhere, and says nothing about the file here.
   */
  #outputsOf(stream: Stream): string[] | null {
    const { toStdout, watching, keep } = this.#deps;
    const name = watching ? nameBefore(stream, this.#work.place) : this.#name(null);
    if (toStdout || name === null) return null;
    const outputs = this.#outputs.paths(name);
    const { state, finalizedTimestamp } = stream;
    const written =
      this.#wasWrittenFor(stream) || (state === 'COMPLETED' && keep && allWrittenSince(outputs, Date.parse(finalizedTimestamp ?? '')));
    return written && allExist(outputs) ? outputs : null;
  }

  /** A stream is deleted when its outputs, which have its name, are written. */
  #wasWrittenFor({ state, name }: Stream): boolean {
    const { watching } = this.#deps;
    return state === 'EXPIRED' && (watching ? name !== null && mayBeCalled(this.#work.place, name) : name === this.#name(null));
  }

  /** While watching, the outputs of a stream that was begun before keep their name. */
  #name(stream: Stream | null): string {
    const { source, place } = this.#work;
    return nameFor(this.#deps, source, place, this.#deps.watching && stream ? nameBefore(stream, place) : null);
  }

  /** `false` if the key is taken. */
  async #send({ tributary }: Server, { key, streamId }: Try, name: string, signal: AbortSignal): Promise<boolean> {
    const { source, onSent } = this.#work;
    const { settings } = this.#deps;
    const total = this.#content.bytes;
    try {
      await send(tributary, this.#content, {
        ...{ key, name, fileName: nameOf(source), settings, signal },
        onSent: (bytes) => onSent(bytes, total),
      });
      this.#own = streamId;
      return true;
    } catch (error) {
      if (!(error instanceof TributaryError) || error.status !== 409 || error.retryAfter !== null) throw error;
      this.#spoiled.add(key);
      return false;
    }
  }

  /** Waits for the results, writes them and deletes the stream. `null`: it failed before, or was deleted meanwhile. */
  async #collect(server: Server, streamId: string, name: string, signal: AbortSignal): Promise<Finished | null> {
    const { tributary } = server;
    const { formats, toStdout } = this.#deps;
    const results = await resultsOf(tributary, streamId, this.#deps, signal);
    const { state, stateDescription } = await tributary.stream(streamId);
    const isOwn = streamId === this.#own;
    if (state === 'FAILED') return isOwn ? failed(streamId, stateDescription ?? 'It failed.') : null;
    if (state === 'EXPIRED') return isOwn ? failed(streamId, 'Its stream was deleted.') : null;
    const missing = formats.filter((_, n) => !results[n]);
    if (missing.length > 0) return failed(streamId, `This template gives no ${missing.join(', ')}.`);
    const free = this.#freeName(name, results);
    const outputs = await this.#outputs.write(free, results);
    this.#written = { status: 'done', streamId, outputs, error: null, result: toStdout ? (results[0] ?? null) : null };
    return this.#cleared(server, this.#written);
  }

  /** A watch takes another name if a file has come under this one. */
  #freeName(name: string, results: readonly (Uint8Array | null)[] | null): string {
    const { watching, names } = this.#deps;
    const { source, place } = this.#work;
    const taken = (wanted: string): boolean => this.#outputs.areTaken(wanted, results);
    if (!watching || !taken(name)) return name;
    names.release(idOf(source));
    return names.claim(idOf(source), place, { taken });
  }

  async #cleared({ tributary }: Server, finished: Finished): Promise<Finished> {
    if (!this.#deps.keep && finished.streamId !== null) await deleteStream(tributary, finished.streamId);
    this.#open.delete(finished.streamId ?? '');
    return finished;
  }
}

const nameFor = ({ names, formats, taken }: JobDeps, source: Source, place: Place, wanted: string | null): string =>
  names.claim(idOf(source), place, { wanted, taken: (name) => taken(outputPaths(place.folder, name, formats)) });

const idOf = (source: Source): string => (source.kind === 'file' ? source.path : source.shown);

/** The name that the outputs got in an earlier run, if they were of this source: the stream may be of equal content elsewhere, or renamed. */
const nameBefore = ({ name }: Stream, place: Place): string | null => (name !== null && mayBeCalled(place, name) ? name : null);

/** Data of a failed or canceled stream expire too. Its description stays. */
const hasFailed = ({ state, stateDescription }: Stream): boolean =>
  state === 'FAILED' || (state === 'EXPIRED' && stateDescription !== null);

const deleteStream = async (tributary: Server['tributary'], streamId: string): Promise<void> => {
  await tributary.http.DELETE('/stream-service/api/v1/streams/{streamId}', { params: { path: { streamId } } }).catch((error: unknown) => {
    if (!(error instanceof TributaryError) || error.status !== 404) throw error;
  });
};

const failed = (streamId: string | null, error: string): Finished => ({ status: 'failed', streamId, outputs: [], error, result: null });
