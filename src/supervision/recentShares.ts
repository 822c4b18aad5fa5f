import type { Clock } from '../clock.ts';

const WINDOW_MILLISECONDS = 1_000;
/** How far above the mean of all active users a user may be. */
const TOLERANCE = 1.25;

/** Bytes in one second, by user. */
class Window {
  readonly began: number;
  readonly users = new Map<string, number>();
  total = 0;

  constructor(began: number) {
    this.began = began;
  }

  add(subject: string, bytes: number): void {
    this.users.set(subject, (this.users.get(subject) ?? 0) + bytes);
    this.total += bytes;
  }
}

/** The bytes of each user in this second and the one before, compared with the others who are active. */
export class RecentShares {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #modestBytes: number;
  #before: Window;
  #current: Window;

  /** Up to `modestBytes` in two seconds, a user makes too little work to be slowed down. */
  constructor(clock: Pick<Clock, 'monotonic'>, modestBytes: number) {
    this.#clock = clock;
    this.#modestBytes = modestBytes;
    this.#current = new Window(clock.monotonic());
    this.#before = new Window(clock.monotonic());
  }

  count(subject: string, bytes: number): void {
    this.#roll();
    this.#current.add(subject, bytes);
  }

  /** Whether other users are active, and this one has clearly more bytes than their mean. */
  isAbove(subject: string): boolean {
    this.#roll();
    const [before, current] = [this.#before, this.#current];
    const active = Math.max(before.users.size, current.users.size);
    const own = (before.users.get(subject) ?? 0) + (current.users.get(subject) ?? 0);
    return active > 1 && own > this.#modestBytes && own > (TOLERANCE * (before.total + current.total)) / active;
  }

  #roll(): void {
    const now = this.#clock.monotonic();
    const age = now - this.#current.began;
    if (age < WINDOW_MILLISECONDS) return;
    this.#before = age < 2 * WINDOW_MILLISECONDS ? this.#current : new Window(now);
    this.#current = new Window(now);
  }
}
