import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { Build } from './builds.ts';
import type { Leader, Led } from './leader.ts';
import { POLL_MILLISECONDS, PolledCheckpoints } from './polledCheckpoints.ts';

/** Progress of builds: known to this process while it is the leader, otherwise read from their checkpoints. */
export class Progress {
  readonly changes: Notifier;
  /** `null` while this process does not lead. */
  leader: Leader | null = null;
  readonly #clock: Clock;
  readonly #polled: PolledCheckpoints;

  constructor({ documents, clock }: { readonly documents: Documents; readonly clock: Clock }) {
    this.#clock = clock;
    this.#polled = new PolledCheckpoints(documents, clock);
    this.changes = new Notifier(clock);
  }

  led(build: Build): Led | null {
    return this.leader?.led(build) ?? null;
  }

  /** Rejects with `StoreUnavailable`. */
  async positionOf(build: Build): Promise<Position | null> {
    const led = this.led(build);
    return led ? led.position : this.#polled.read(build.checkpoint);
  }

  hasHandled(build: Build, position: Position): boolean {
    return (this.led(build)?.position ?? this.#polled.position(build.checkpoint) ?? '') >= position;
  }

  /**
   * Resolves with `true` once the build has handled the position, and with `false` at the deadline or when it never will. `build` returns the build
   * that is read, or `null`.
   */
  async reached(position: Position, deadline: number, build: () => Build | null, neverComes: () => boolean): Promise<boolean> {
    for (;;) {
      const now = build();
      if (now && this.hasHandled(now, position)) return true;
      const left = deadline - this.#clock.monotonic();
      if (left <= 0 || now?.stopped || neverComes()) return false;
      const until = () => build() !== now || now === null || this.hasHandled(now, position) || neverComes();
      await this.#change(now, position, { until, milliseconds: left });
    }
  }

  async #change(build: Build | null, position: Position, wait: { until: () => boolean; milliseconds: number }): Promise<void> {
    if (build && !this.leader) {
      void this.#polled.poll(build.checkpoint).then(() => this.changes.notify());
      return this.changes.wait({ ...wait, milliseconds: Math.min(wait.milliseconds, POLL_MILLISECONDS) });
    }
    const waitsNoLonger = this.leader?.group.prioritize(position);
    await this.changes.wait(wait);
    waitsNoLonger?.();
  }
}
