import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import type { Clock } from '../../clock.ts';
import type { Json } from '../../json.ts';
import { DEFAULT_LIMITS, type Limits } from '../../limits.ts';
import { Serial } from '../../stores/serial.ts';
import { OVER } from '../../supervision/aborted.ts';
import type { Finding, JobBegun, SchemaJob, SchemaOutcome } from './messages.ts';

/** Why a schema was not used. `unusable`: not a valid JSON Schema. `costly`: exceeded its time or memory limit. */
export interface SchemaRefusal {
  readonly is: 'unusable' | 'costly';
  readonly reason: string;
}

export type CompileVerdict = { readonly is: 'usable' } | SchemaRefusal;
export type ValueVerdict = { readonly is: 'fits' } | { readonly is: 'misfit'; readonly findings: readonly Finding[] } | SchemaRefusal;

export interface ValidateOptions {
  /** Remembers that a small value fits, for values that recur, such as the properties of a template. */
  readonly remember?: boolean;
  /** Aborts while the call waits for its turn. */
  readonly signal?: AbortSignal;
}

export interface CallerSchemasDeps {
  readonly clock: Pick<Clock, 'pause'>;
  readonly limits?: Pick<Limits, 'schemaTimeoutMs'>;
}

// A thread cannot load TypeScript: from sources (the tests), it is the compiled one.
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/processors/schemas/schemaThread.js' : './schemaThread.js',
  import.meta.url,
);
const THREADS = {
  minThreads: 0,
  maxThreads: 2,
  idleTimeout: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 6, stackSizeMb: 2 },
};
const VERDICTS = 5_000;
/** Longest value that is remembered, in characters. */
const REMEMBERED_LENGTH = 4_096;

const COSTLY: SchemaRefusal = {
  is: 'costly',
  reason: 'it needs too much time or memory to be applied; simplify its patterns, references or combinations',
};

interface SchemaText {
  readonly text: string;
  readonly hash: string;
}

/**
 * JSON Schemas from callers, compiled and applied in threads, never on the event loop, each call for at most `SCHEMA_TIMEOUT_MS`. The threads start with
 * the first call and never keep the process alive. Draft 2020-12; `format` is not checked.
 */
export class CallerSchemas {
  readonly #clock: Pick<Clock, 'pause'>;
  readonly #timeout: number;
  readonly #threads = new Piscina<SchemaJob, SchemaOutcome>({ ...THREADS, filename: THREAD.href });
  /** A user has one call at a time in the threads, so that slow schemas delay only their own user. */
  readonly #ofOwner = new Serial();
  readonly #begin = new Map<number, () => void>();
  readonly #verdicts = new LRUCache<string, CompileVerdict>({ max: VERDICTS });
  /** A run validates each of its outputs with the same object. */
  readonly #texts = new WeakMap<object, SchemaText>();
  readonly #fitting = new LRUCache<string, true>({ max: VERDICTS });
  #jobs = 0;

  constructor({ clock, limits = DEFAULT_LIMITS }: CallerSchemasDeps) {
    this.#clock = clock;
    this.#timeout = limits.schemaTimeoutMs;
    this.#threads.on('message', ({ begun }: JobBegun) => this.#begin.get(begun)?.());
    // A thread that ends between two jobs is replaced.
    this.#threads.on('error', () => {});
  }

  /** Whether the schema is usable. Results are cached by the schema's hash. */
  async compile(schema: Json, owner: string): Promise<CompileVerdict> {
    const { text, hash } = this.#textOf(schema);
    const known = this.#verdicts.get(hash);
    if (known) return known;
    const verdict = await this.#inTurn(owner, { hash, schema: text, value: null });
    if (verdict.is === 'fits' || verdict.is === 'misfit') throw new Error('a schema was compiled and a value answered');
    this.#verdicts.set(hash, verdict);
    return verdict;
  }

  /** Whether the value matches, with at most 20 findings if not. Rejects only if the signal aborts. */
  async validate(schema: Json, value: Json, owner: string, { remember = false, signal }: ValidateOptions = {}): Promise<ValueVerdict> {
    const { text, hash } = this.#textOf(schema);
    const known = this.#verdicts.get(hash);
    if (known && known.is !== 'usable') return known;
    const valueText = JSON.stringify(value);
    const key = remember && valueText.length <= REMEMBERED_LENGTH ? hashOf(`${hash} ${valueText}`) : null;
    if (key !== null && this.#fitting.has(key)) return { is: 'fits' };
    const verdict = await this.#inTurn(owner, { hash, schema: text, value: valueText }, signal);
    if (verdict.is === 'usable') throw new Error('a value was checked and a schema answered');
    if (key !== null && verdict.is === 'fits') this.#fitting.set(key, true);
    return verdict;
  }

  async close(): Promise<void> {
    await this.#threads.destroy();
  }

  #textOf(schema: Json): SchemaText {
    if (schema === null || typeof schema !== 'object') return schemaTextOf(schema);
    const known = this.#texts.get(schema) ?? schemaTextOf(schema);
    this.#texts.set(schema, known);
    return known;
  }

  #inTurn(owner: string, job: Omit<SchemaJob, 'number'>, signal?: AbortSignal): Promise<SchemaOutcome | SchemaRefusal> {
    return this.#ofOwner.run(owner, async () => {
      signal?.throwIfAborted();
      return this.#bounded(job);
    });
  }

  async #bounded(job: Omit<SchemaJob, 'number'>): Promise<SchemaOutcome | SchemaRefusal> {
    const number = ++this.#jobs;
    const [limit, over] = [new AbortController(), new AbortController()];
    this.#begin.set(number, () => {
      void this.#clock.pause(this.#timeout, over.signal).then((pause) => {
        if (pause === 'elapsed') limit.abort();
      });
    });
    try {
      return await this.#threads.run({ ...job, number }, { signal: limit.signal });
    } catch (error) {
      if (limit.signal.aborted || isOutOfMemory(error)) return COSTLY;
      throw error;
    } finally {
      this.#begin.delete(number);
      over.abort(OVER);
    }
  }
}

const isOutOfMemory = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const schemaTextOf = (schema: Json): SchemaText => {
  const text = JSON.stringify(schema);
  return { text, hash: hashOf(text) };
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
