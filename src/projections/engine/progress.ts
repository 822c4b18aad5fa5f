import type { Clock } from '../../clock.ts';
import type { Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import { fresh } from '../../supervision/fresh.ts';
import { Notifier } from '../../supervision/notifier.ts';
import type { Build } from './builds.ts';
import type { Leader, Led } from './leader.ts';

const POLL_MILLISECONDS = 20;
/** A timer may fire a millisecond early. */
const LOOK_MILLISECONDS = POLL_MILLISECONDS + 1;

/** The checkpoint of a build that another process maintains. */
interface Polled {
  /** As last read. */
  position: Position | null;
  /** Reads it, or returns a reading of the last 20 ms. Rejects with `StoreUnavailable`. */
  readonly read: () => Promise<Position | null>;
}

/** Progress of builds: known to this process while it is the leader, otherwise read from their checkpoints. */
export class Progress {
  readonly changes: Notifier;
  /** `null` while this process does not lead. */
  leader: Leader | null = null;
  readonly #documents: Documents;
  readonly #clock: Clock;
  readonly #polled = new Map<string, Polled>();

  constructor({ documents, clock }: { readonly documents: Documents; readonly clock: Clock }) {
    this.#documents = documents;
    this.#clock = clock;
    this.changes = new Notifier(clock);
  }

  led(build: Build): Led | null {
    return this.leader?.led(build) ?? null;
  }

  /** Rejects with `StoreUnavailable`. */
  async positionOf(build: Build): Promise<Position | null> {
    const led = this.led(build);
    return led ? led.position : this.#polledOf(build).read();
  }

  hasHandled(build: Build, position: Position): boolean {
    return (this.led(build)?.position ?? this.#polled.get(build.checkpoint)?.position ?? '') >= position;
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
      const read = this.#polledOf(build).read();
      void read.catch(() => null).then(() => this.changes.notify());
      return this.changes.wait({ ...wait, milliseconds: Math.min(wait.milliseconds, LOOK_MILLISECONDS) });
    }
    const waitsNoLonger = this.leader?.group.prioritize(position);
    await this.changes.wait(wait);
    waitsNoLonger?.();
  }

  #polledOf({ checkpoint }: Build): Polled {
    const known = this.#polled.get(checkpoint);
    if (known) return known;
    const read = async () => {
      polled.position = (await this.#documents.readCheckpoint(checkpoint))?.position ?? null;
      return polled.position;
    };
    const polled: Polled = { position: null, read: fresh(this.#clock, POLL_MILLISECONDS, read) };
    this.#polled.set(checkpoint, polled);
    return polled;
  }
}
