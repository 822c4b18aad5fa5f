import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { ProxyTrust } from './clientAddress.ts';

/** The longest pause, so that others behind the same address get through: a client's headers must arrive within 20 s. */
const MOST_MILLISECONDS = 2_000;
/** Between two connections of such an address: the first read of one may hold 10,000 chunks of a body. It takes place before the next timer. */
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
 * When new connections are first read. Node parses a read in one turn of the event loop, and it may hold 10,000 chunks of a body.
 * Trusted proxies are exempt: they hold the connections of many callers.
 *
 * - Connections of one address that arrive together are read one in a turn.
 * - An address is slowed down when a read of its connections takes long, because it holds too many requests, headers or chunks. Its connections without a
 *   request so far, open ones included, are then read one after another, with a pause in proportion.
 */
export class Newcomers {
  readonly #clock: Clock;
  readonly #trusts: ProxyTrust;
  readonly #offenders: LRUCache<string, Offender>;
  /** Node announces a connection a second time if its upgrade is ignored. */
  readonly #known = new WeakSet<Socket>();
  /** By address: the connection being read, then those waiting for their turn. */
  readonly #arrived = new Map<string, Socket[]>();
  /** By address: connections that Node reads, and that have not sent a request yet. */
  readonly #silent = new Map<string, Set<Socket>>();

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

  /** Lets the new connections of its address wait: a read of the connection takes long. Give a few times what it took. */
  blame(socket: Socket, milliseconds: number): void {
    const address = socket.remoteAddress;
    if (address === undefined || this.#trusts(address, 0)) return;
    const now = this.#clock.monotonic();
    const known = this.#offenders.get(address) ?? { until: now, turn: Promise.resolve() };
    known.until = Math.min(Math.max(known.until, now) + milliseconds, now + MOST_MILLISECONDS);
    this.#offenders.set(address, known);
    this.#hold(address, known);
  }

  /** Call it at each request of a connection, which is new until its first one. */
  asked(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    const silent = this.#silent.get(remoteAddress);
    if (silent?.delete(socket) && silent.size === 0) this.#silent.delete(remoteAddress);
  }

  /** Pausing also keeps Node from reading what arrived in this turn. */
  #hold(address: string, offender: Offender): void {
    const silent = this.#silent.get(address) ?? [];
    this.#silent.delete(address);
    for (const socket of silent) {
      socket.pause();
      this.#admitInTurn(socket, offender);
    }
  }

  /** Lets Node read the connection. */
  #read(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    const silent = this.#silent.get(remoteAddress) ?? new Set();
    this.#silent.set(remoteAddress, silent.add(socket));
    socket.resume();
  }

  /** Keeps a new connection unread until it is its turn. */
  connected(socket: Socket): void {
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    if (this.#trusts(socket.remoteAddress ?? '', 0)) return;
    socket.once('close', () => this.asked(socket));
    const offender = this.#offenderOf(socket);
    if (offender) {
      pauseNew(socket);
      this.#admitInTurn(socket, offender);
    } else this.#arrive(socket);
  }

  #offenderOf({ remoteAddress = '' }: Socket): Offender | undefined {
    return this.#offenders.get(remoteAddress);
  }

  /** Each first read may take long. */
  #arrive(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const others = this.#arrived.get(address);
    if (others) {
      others.push(socket);
      pauseNew(socket);
      return;
    }
    const line = [socket];
    this.#arrived.set(address, line);
    this.#read(socket);
    // Node reads the first one in the turn after this one.
    setImmediate(() => setImmediate(() => this.#readNext(address, line)));
  }

  #readNext(address: string, line: Socket[]): void {
    do line.shift();
    while (line[0]?.destroyed);
    const [socket] = line;
    if (!socket) return void this.#arrived.delete(address);
    const offender = this.#offenderOf(socket);
    if (offender) this.#admitInTurn(socket, offender);
    else this.#read(socket);
    setImmediate(() => this.#readNext(address, line));
  }

  #admitInTurn(socket: Socket, offender: Offender): void {
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
    this.#read(socket);
  }
}

/** Paused in the next tick, because Node begins to read only then. */
const pauseNew = (socket: Socket): void => process.nextTick(() => socket.pause());
