import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { backOff } from '../../supervision/retrying.ts';
import { within } from '../../supervision/within.ts';
import { StoreUnavailable } from '../eventStore.ts';
import { Away, failureOf } from './away.ts';
import { Cluster } from './cluster.ts';
import type { ServerAddress } from './connectionString.ts';
import type { Deadlines } from './deadlines.ts';
import type { Driver } from './driver.ts';
import { Session } from './session.ts';

export interface ConnectionDeps {
  readonly driver: Driver;
  readonly address: ServerAddress;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly deadlines: Deadlines;
  readonly timeoutMilliseconds: number;
}

/**
 * The connection to the server. One session is in use. A failure or a time-out retires it, and the next call opens a new one with a new client,
 * because a client never leaves its connection to a paused node. When a call has waited for a second, the nodes of a cluster are asked for their
 * leader; if they name another one, all waiting calls are sent there. Consecutive failures are logged once, with pauses between the attempts.
 */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #closing = new AbortController();
  #session: Promise<Session> | null = null;
  #current: Session | null = null;
  #failing = false;
  /** Consecutive failed connections. */
  #failures = 0;
  /** Reason of the last failure. */
  #reason = '';
  readonly #cluster: Cluster | null;
  #askingForLeader = false;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    const { driver, address, clock, deadlines } = deps;
    this.#cluster = address.isCluster ? new Cluster(driver, address, clock) : null;
    deadlines.onLook = () => void this.#followLeader();
  }

  /**
   * Passes a session to `work`, and a new one after each `Away`, until one time-out is over. Work that reached the server without an answer gets a
   * second time-out until it was tried `tries` times. Then it rejects with `StoreUnavailable`. Nothing above this repeats it.
   */
  async run<T>(work: (session: Session) => Promise<T>, tries = 1): Promise<T> {
    const { clock, timeoutMilliseconds } = this.#deps;
    const first = clock.monotonic() + timeoutMilliseconds;
    let reached = 0;
    const counted = (session: Session): Promise<T> => {
      reached += 1;
      return work(session);
    };
    const deadline = (): number => (reached > 0 && reached < tries ? first + timeoutMilliseconds : first);
    for (;;) {
      try {
        return await this.#try(counted, deadline() - clock.monotonic());
      } catch (error) {
        if (!(error instanceof Away)) throw error;
        if (clock.monotonic() >= deadline() || this.#closing.signal.aborted) throw unavailable(error);
      }
    }
  }

  /**
   * Waits until `probe` succeeds, and logs the reason at once and then every half minute. Rejects with the result of `refusal` for a failure, and
   * with the signal's reason when it aborts.
   */
  async waitFor(
    probe: (session: Session) => Promise<unknown>,
    refusal: (failure: Away) => Promise<Error | null>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { clock, logger } = this.#deps;
    let said = Number.NEGATIVE_INFINITY;
    for (;;) {
      signal?.throwIfAborted();
      const failure = await this.#try(probe, this.#deps.timeoutMilliseconds).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) return;
      if (!(failure instanceof Away)) throw failure;
      const refused = await refusal(failure);
      if (refused !== null) throw refused;
      if (clock.monotonic() - said >= SAY_AGAIN_MILLISECONDS) {
        said = clock.monotonic();
        logger.warn({ reason: failure.message }, 'waiting for the event store (EVENTSTORE_URL)');
      }
    }
  }

  /** `host:port` of a cluster's nodes, as they name each other; empty before one has answered. */
  get members(): readonly string[] {
    return this.#cluster?.members ?? [];
  }

  /** Opens no new sessions; later failures are not retried. */
  beginClosing(): void {
    this.#closing.abort();
  }

  close(): void {
    this.#session?.then((session) => session.retire()).catch(() => undefined);
  }

  async #try<T>(work: (session: Session) => Promise<T>, milliseconds: number): Promise<T> {
    const session = await (this.#failing ? this.#inTime(this.session(), milliseconds) : this.session());
    session.begin();
    try {
      const result = await work(session);
      if (this.#failing) this.#worked();
      return result;
    } catch (error) {
      if (error instanceof Away) this.#failed(session, error);
      throw error;
    } finally {
      session.end();
    }
  }

  /** Limits the wait of callers during a long streak of failures. */
  async #inTime(opening: Promise<Session>, milliseconds: number): Promise<Session> {
    const opened = await within(this.#deps.clock, milliseconds, opening);
    if (opened === 'late') throw new Away(this.#reason);
    return opened;
  }

  /** The session in use. Rejects with `Away`. */
  session(): Promise<Session> {
    this.#session ??= this.#connect();
    return this.#session;
  }

  async #connect(): Promise<Session> {
    const { driver, address, timeoutMilliseconds } = this.#deps;
    if (this.#failing) {
      const pause = Math.min(backOff(++this.#failures), LONGEST_PAUSE_MILLISECONDS, timeoutMilliseconds / 2);
      await this.#deps.clock.pause(pause, this.#closing.signal);
    }
    try {
      const [only = ''] = address.hosts;
      const node = (await this.#cluster?.find(timeoutMilliseconds, this.#closing.signal)) ?? only;
      this.#current = new Session(driver, address, node);
      return this.#current;
    } catch (error) {
      this.#session = null;
      const failure = failureOf(error);
      if (failure instanceof Away) this.#say(failure);
      throw failure;
    }
  }

  /** Changes the node if a call has waited and the cluster has another leader. */
  async #followLeader(): Promise<void> {
    const { deadlines } = this.#deps;
    const session = this.#current;
    const isWaiting = () => this.#current === session && deadlines.longestWait() >= WAITING_MILLISECONDS;
    if (!this.#cluster || !session || this.#askingForLeader || !isWaiting()) return;
    this.#askingForLeader = true;
    const hasMoved = await this.#cluster.hasMoved(session.node, isWaiting, this.#closing.signal).finally(() => {
      this.#askingForLeader = false;
    });
    if (!hasMoved) return;
    const why = new Away('the cluster has another leader');
    this.#failed(session, why);
    deadlines.expireAll(why);
  }

  #failed(session: Session, failure: Away): void {
    if (session !== this.#current) return;
    session.retire();
    this.#current = null;
    this.#session = null;
    this.#say(failure);
  }

  #say({ message: reason }: Away): void {
    if (!this.#failing) this.#deps.logger.warn({ reason }, 'event store unavailable; retrying');
    this.#failing = true;
    this.#reason = reason;
  }

  #worked(): void {
    this.#failing = false;
    this.#failures = 0;
    this.#deps.logger.info({}, 'event store available again');
  }
}

const SAY_AGAIN_MILLISECONDS = 30_000;
/** Pause between two attempts: a server that is back is found within a second. */
const LONGEST_PAUSE_MILLISECONDS = 1_000;
/** A call that has waited this long may be at a node that is paused or cut off. */
const WAITING_MILLISECONDS = 1_000;

const unavailable = (failure: Away): StoreUnavailable =>
  new StoreUnavailable(`The event store does not answer (${failure.message}). Try again.`, { cause: failure });
