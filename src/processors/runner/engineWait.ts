import type { Clock } from '../../clock.ts';
import type { AppendContext, CommandDeps } from '../../commands/handle.ts';
import { noteEngine } from '../../commands/recordRun.ts';
import type { StreamEvent } from '../../domain/stream/events.ts';

type Note = Extract<StreamEvent, { type: 'EngineAwaited' | 'EngineReturned' }>;
export type RunName = Extract<Note, { type: 'EngineReturned' }>['data'] & { readonly streamId: string };

interface EngineWaitDeps extends CommandDeps {
  readonly clock: Clock;
}

/** An engine that is down refuses at once. After this long without an answer, it is working on the request. */
const WORKS_MS = 5_000;
/** An engine that comes and goes must not fill the log. */
const MAX_WAITS = 10;

/** Records when a run starts to wait for its engine, and when the engine works again, so that people see it. */
export class EngineWait {
  readonly #deps: EngineWaitDeps;
  #waits = 0;
  #waiting = false;

  constructor(deps: EngineWaitDeps) {
    this.#deps = deps;
  }

  async began(name: RunName, reason: string, context: AppendContext): Promise<void> {
    if (this.#waiting || this.#waits >= MAX_WAITS) return;
    this.#waits++;
    this.#waiting = true;
    const { streamId, ...run } = name;
    await this.#tell(streamId, { type: 'EngineAwaited', data: { ...run, reason } }, context);
  }

  /** Watches a try of a run that waits. The result ends the watch. */
  watch(name: RunName, context: AppendContext): () => void {
    const ended = new AbortController();
    if (this.#waiting) void this.#returned(name, context, ended.signal);
    return () => ended.abort();
  }

  async #returned({ streamId, ...data }: RunName, context: AppendContext, ended: AbortSignal): Promise<void> {
    if ((await this.#deps.clock.pause(WORKS_MS, ended)) === 'aborted') return;
    this.#waiting = false;
    await this.#tell(streamId, { type: 'EngineReturned', data }, context);
  }

  /** A note that cannot be stored now is only not shown. */
  async #tell(streamId: string, note: Note, context: AppendContext): Promise<void> {
    await noteEngine(this.#deps, streamId, note, context).catch(() => undefined);
  }
}
