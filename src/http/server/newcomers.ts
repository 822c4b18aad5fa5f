import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { ProxyTrust } from './clientAddress.ts';

/** How long an address's new connections wait for each request that one of them sent too early: about five times what it cost. */
const MILLISECONDS_A_REQUEST = 0.2;
/** The longest pause, so that others behind the same address get through: a client's headers must arrive within 20 s. */
const MOST_MILLISECONDS = 2_000;
/** Between two connections of such an address: the first read of one may hold 1,600 requests. It takes place before the next timer. */
const BETWEEN_MILLISECONDS = 5;
/** How long an address is remembered. */
const REMEMBERED_MILLISECONDS = 60_000;
const REMEMBERED_ADDRESSES = 10_000;

interface Offender {
  /** Monotonic time at which its next connection is read. */
  until: number;
  turn: Promise<void>;
}

/**
 * Slows down addresses whose connections were closed for sending too many requests before they had an answer: their new connections are read one after another,
 * with a pause in proportion. Node parses all requests of one read in one turn, so refusing them costs the server as much as answering a few. Trusted proxies
 * are exempt: they hold the connections of many callers.
 */
export class Newcomers {
  readonly #clock: Clock;
  readonly #trusts: ProxyTrust;
  readonly #offenders: LRUCache<string, Offender>;
  /** Node announces a connection a second time if its upgrade is ignored. */
  readonly #known = new WeakSet<Socket>();

  constructor(clock: Clock, trusts: ProxyTrust = () => false) {
    this.#clock = clock;
    this.#trusts = trusts;
    this.#offenders = new LRUCache({
      max: REMEMBERED_ADDRESSES,
      ttl: REMEMBERED_MILLISECONDS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonic() },
    });
  }

  /** Counts a request that came too early. */
  blame(socket: Socket): void {
    const address = socket.remoteAddress;
    if (address === undefined || this.#trusts(address, 0)) return;
    const now = this.#clock.monotonic();
    const known = this.#offenders.get(address) ?? { until: now, turn: Promise.resolve() };
    known.until = Math.min(Math.max(known.until, now) + MILLISECONDS_A_REQUEST, now + MOST_MILLISECONDS);
    this.#offenders.set(address, known);
  }

  /** Keeps a new connection unread until it is its turn. */
  connected(socket: Socket): void {
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    const offender = this.#offenders.get(socket.remoteAddress ?? '');
    if (!offender) return;
    // Node begins to read in the next tick.
    process.nextTick(() => socket.pause());
    offender.turn = offender.turn.then(() => this.#admit(socket, offender));
  }

  async #admit(socket: Socket, offender: Offender): Promise<void> {
    for (;;) {
      if (socket.destroyed) return;
      const left = offender.until - this.#clock.monotonic();
      if (left <= 0) break;
      await this.#clock.pause(left);
    }
    offender.until = this.#clock.monotonic() + BETWEEN_MILLISECONDS;
    socket.resume();
  }
}
