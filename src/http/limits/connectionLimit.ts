import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { limitReached, type Problem } from '../../domain/problem.ts';
import { clientAddress, type ProxyTrust } from './clientAddress.ts';
import type { RequestEnd } from './requestEnd.ts';

/** Counts open things by name, up to a limit. */
export class OpenCounter {
  readonly #limit: number;
  readonly #open = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts one more and returns the function that removes it; `null` at the limit. */
  enter(name: string): (() => void) | null {
    const open = this.#open.get(name) ?? 0;
    if (open >= this.#limit) return null;
    this.#open.set(name, open + 1);
    return () => {
      const left = (this.#open.get(name) ?? 1) - 1;
      if (left === 0) this.#open.delete(name);
      else this.#open.set(name, left);
    };
  }
}

/**
 * Limits the open connections of one address. A trusted proxy holds the connections of many callers: it is exempt, and the open requests that
 * it forwards are counted by the address that each comes from.
 */
export class ConnectionLimit {
  readonly #limit: number;
  readonly trusts: ProxyTrust;
  readonly #connections: OpenCounter;
  readonly #requests: OpenCounter;
  /** Counted connections: Node announces a connection a second time if its upgrade is ignored. */
  readonly #known = new WeakSet<Socket>();

  constructor(limit: number, trusts: ProxyTrust) {
    this.#limit = limit;
    this.trusts = trusts;
    this.#connections = new OpenCounter(limit);
    this.#requests = new OpenCounter(limit);
  }

  /** The refusal of a new connection; `null` if it may stay. */
  connected(socket: Socket): Problem | null {
    const address = socket.remoteAddress ?? '';
    if (this.#known.has(socket) || this.trusts(address, 0)) return null;
    this.#known.add(socket);
    const leave = this.#connections.enter(address);
    if (!leave) return this.#refusal('connections');
    socket.once('close', leave);
    return null;
  }

  /** Counts a request that a trusted proxy forwards, until its end. Throws 429 if its address has too many open ones. */
  requested(incoming: IncomingMessage, end: RequestEnd): void {
    if (!this.trusts(incoming.socket.remoteAddress ?? '', 0)) return;
    const leave = this.#requests.enter(clientAddress(incoming, this.trusts));
    if (!leave) throw this.#refusal('requests');
    end.add(leave);
  }

  #refusal(what: 'connections' | 'requests'): Problem {
    return limitReached(`This address has ${this.#limit} open ${what} already. Close some and try again.`, 5);
  }
}
