import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Json } from '../../json.ts';
import { FairQueue } from '../runner/fairQueue.ts';
import { BoundedThread } from './boundedThread.ts';
import { type AllowanceSettings, CpuAllowance } from './cpuAllowance.ts';
import type { Finding, SchemaOutcome } from './messages.ts';

/** CPU budget of one request or run, shared by all calls that get the same budget. */
export interface SchemaBudget {
  /** The user whose CPU allowance is charged too. */
  readonly owner: string;
  /** Milliseconds of CPU left. */
  left: number;
  /** With a signal, a call waits (until it aborts) for the owner's allowance to refill. Without a signal it returns `throttled`. */
  readonly signal?: AbortSignal;
}

/** Why a schema was not used. `unusable`: not a valid JSON Schema. `costly`: exceeded its CPU or memory limit. */
export type SchemaRefusal =
  | { readonly is: 'unusable' | 'costly'; readonly reason: string }
  /** The owner's CPU allowance is used up. */
  | { readonly is: 'throttled'; readonly retryAfterSeconds: number };

export type CompileVerdict = { readonly is: 'usable' } | SchemaRefusal;
export type ValueVerdict = { readonly is: 'fits' } | { readonly is: 'misfit'; readonly findings: readonly Finding[] } | SchemaRefusal;

export interface ValidateOptions {
  /** Remembers that a small value fits, for values that recur, such as the properties of a template. */
  readonly remember?: boolean;
}

export interface CallerSchemasDeps {
  readonly clock: Clock;
  /** Number of threads. Default: 1. */
  readonly threads?: number;
  /** CPU allowance of each user. Default: a burst of 4 s, refilled at 200 ms per second. */
  readonly allowance?: AllowanceSettings;
}

/** CPU limit of one call in milliseconds. */
const CALL_LIMIT = 250;
const BUDGET = 1_000;
const ALLOWANCE = { capacity: 4_000, perSecond: 200 };
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

interface Waiting {
  readonly start: (thread: BoundedThread) => Promise<void>;
}

/**
 * JSON Schemas from callers, compiled and applied in threads, never on the event loop. The threads start with the first call and never keep the
 * process alive. Draft 2020-12; `format` is not checked.
 */
export class CallerSchemas {
  readonly #clock: Clock;
  readonly #allowance: CpuAllowance;
  readonly #idle: BoundedThread[];
  readonly #all: readonly BoundedThread[];
  readonly #waiting = new FairQueue<Waiting>();
  readonly #verdicts = new LRUCache<string, CompileVerdict>({ max: VERDICTS });
  /** A run validates each of its outputs with the same object. */
  readonly #texts = new WeakMap<object, SchemaText>();
  readonly #fitting = new LRUCache<string, true>({ max: VERDICTS });

  constructor({ clock, threads = 1, allowance = ALLOWANCE }: CallerSchemasDeps) {
    this.#clock = clock;
    this.#allowance = new CpuAllowance(allowance, clock);
    this.#all = Array.from({ length: threads }, () => new BoundedThread(clock));
    this.#idle = [...this.#all];
  }

  /** A budget for one request or run. Default: 1,000 ms. */
  budget(owner: string, { milliseconds = BUDGET, signal }: { milliseconds?: number; signal?: AbortSignal } = {}): SchemaBudget {
    return { owner, left: milliseconds, ...(signal && { signal }) };
  }

  /** Whether the schema is usable. Results are cached by the schema's hash. Rejects only if the budget's signal aborts. */
  async compile(schema: Json, budget: SchemaBudget): Promise<CompileVerdict> {
    const { text, hash } = this.#textOf(schema);
    const known = this.#verdicts.get(hash);
    if (known) return known;
    const verdict = await this.#bounded({ hash, schema: text, value: null }, budget);
    if (verdict.is === 'fits' || verdict.is === 'misfit') throw new Error('a schema was compiled and a value answered');
    // With less than a call's full limit, a cheap schema may have been cut off.
    if (verdict.is !== 'throttled' && (verdict.is !== 'costly' || budget.left > 0)) this.#verdicts.set(hash, verdict);
    return verdict;
  }

  /** Whether the value matches, with at most 20 findings if not. Rejects only if the budget's signal aborts. */
  async validate(schema: Json, value: Json, budget: SchemaBudget, { remember = false }: ValidateOptions = {}): Promise<ValueVerdict> {
    const { text, hash } = this.#textOf(schema);
    const known = this.#verdicts.get(hash);
    if (known && known.is !== 'usable') return known;
    const valueText = JSON.stringify(value);
    const key = remember && valueText.length <= REMEMBERED_LENGTH ? hashOf(`${hash} ${valueText}`) : null;
    if (key !== null && this.#fitting.has(key)) return { is: 'fits' };
    const verdict = await this.#bounded({ hash, schema: text, value: valueText }, budget);
    if (verdict.is === 'usable') throw new Error('a value was checked and a schema answered');
    if (key !== null && verdict.is === 'fits') this.#fitting.set(key, true);
    return verdict;
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.close()));
  }

  #textOf(schema: Json): SchemaText {
    if (schema === null || typeof schema !== 'object') return schemaTextOf(schema);
    const known = this.#texts.get(schema) ?? schemaTextOf(schema);
    this.#texts.set(schema, known);
    return known;
  }

  async #bounded(job: Parameters<BoundedThread['run']>[0], budget: SchemaBudget): Promise<SchemaOutcome | SchemaRefusal> {
    for (let wait = this.#allowance.wait(budget.owner); wait > 0; wait = this.#allowance.wait(budget.owner)) {
      if (!budget.signal) return { is: 'throttled', retryAfterSeconds: Math.ceil(wait / 1_000) };
      await this.#clock.pause(wait, budget.signal);
      budget.signal.throwIfAborted();
    }
    return this.#inTurn(budget.owner, async (thread) => {
      budget.signal?.throwIfAborted();
      const limit = Math.min(CALL_LIMIT, budget.left);
      if (limit <= 0) return COSTLY;
      const { outcome, used } = await thread.run(job, limit);
      this.#allowance.spend(budget.owner, used);
      budget.left -= used;
      return outcome === 'killed' ? COSTLY : outcome;
    });
  }

  #inTurn<T>(owner: string, work: (thread: BoundedThread) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(owner, { start: (thread) => work(thread).then(resolve, reject) });
      this.#fill();
    });
  }

  #fill(): void {
    for (let thread = this.#idle.pop(); thread; thread = this.#idle.pop()) {
      const next = this.#waiting.take();
      if (!next) {
        this.#idle.push(thread);
        return;
      }
      const taken = thread;
      void next.start(taken).finally(() => {
        this.#idle.push(taken);
        this.#fill();
      });
    }
  }
}

const schemaTextOf = (schema: Json): SchemaText => {
  const text = JSON.stringify(schema);
  return { text, hash: hashOf(text) };
};

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
