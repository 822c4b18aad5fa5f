import type { Clock } from '../../clock.ts';
import type { AppendContext, CommandDeps } from '../../commands/handle.ts';
import { recordEngine } from '../../commands/recordRun.ts';
import type { EngineEvent } from '../../domain/stream/decisions.ts';
import { OVER } from '../../supervision/aborted.ts';
import type { RunEngine } from '../processor.ts';

export type RunName = Extract<EngineEvent, { type: 'EngineReturned' }>['data'] & { readonly streamId: string };

interface EngineEventsDeps extends CommandDeps {
  readonly clock: Clock;
}

/** Notes about one try of a run. */
export interface EngineWatch {
  /** Repeatable: the newest engine counts. */
  chose(engine: RunEngine): void;
  end(): void;
}

/** A server that is down refuses at once. An engine that has had the request for this long works on it. */
const WORKS_MS = 5_000;
/** A shorter run names its engine at its end only. Longer than a run may last before its start is in the log. */
const NAMED_MS = 2_000;
/** An engine that comes and goes must not fill the log. */
const MAX_WAITS = 10;

/** Tells the log what happens between a run and its engine, so that people see it while the run lasts. */
export class EngineEvents {
  readonly #deps: EngineEventsDeps;
  #waits = 0;
  #waiting = false;
  #named: RunEngine | null = null;

  constructor(deps: EngineEventsDeps) {
    this.#deps = deps;
  }

  /** The run begins to wait for its engine. */
  async waits(name: RunName, reason: string, context: AppendContext): Promise<void> {
    if (this.#waiting || this.#waits >= MAX_WAITS) return;
    this.#waits++;
    this.#waiting = true;
    const { streamId, ...run } = name;
    await this.#tell(streamId, { type: 'EngineAwaited', data: { ...run, reason } }, context);
  }

  watch(name: RunName, context: AppendContext): EngineWatch {
    const ended = new AbortController();
    let newest: RunEngine | null = null;
    if (this.#waiting) void this.#returned(name, context, ended.signal);
    return {
      chose: (engine) => {
        if (newest === null) void this.#chosen(name, () => newest ?? engine, context, ended.signal);
        newest = engine;
      },
      end: () => ended.abort(OVER),
    };
  }

  async #returned({ streamId, ...data }: RunName, context: AppendContext, ended: AbortSignal): Promise<void> {
    if ((await this.#deps.clock.pause(WORKS_MS, ended)) === 'aborted') return;
    this.#waiting = false;
    await this.#tell(streamId, { type: 'EngineReturned', data }, context);
  }

  async #chosen({ streamId, ...run }: RunName, newest: () => RunEngine, context: AppendContext, ended: AbortSignal): Promise<void> {
    if ((await this.#deps.clock.pause(NAMED_MS, ended)) === 'aborted') return;
    const { engine, model } = newest();
    if (this.#named?.engine === engine && this.#named.model === model) return;
    this.#named = { engine, model };
    await this.#tell(streamId, { type: 'EngineChosen', data: { ...run, engine: { name: engine, model } } }, context);
  }

  /** A note that cannot be stored now is only not shown. */
  async #tell(streamId: string, note: EngineEvent, context: AppendContext): Promise<void> {
    await recordEngine(this.#deps, streamId, note, context).catch(() => undefined);
  }
}
