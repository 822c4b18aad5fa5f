import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isAllowedByOperator, judgeAddress } from './address.ts';
import type { Range } from './ranges.ts';
import type { Resolve } from './resolve.ts';
import { judgeName } from './url.ts';

/** The connection would lead, or led, to an address that the platform does not connect to. Says nothing of the address. */
export class AddressRefused extends Error {
  constructor() {
    super('The address is not allowed.');
    this.name = 'AddressRefused';
  }
}

export interface ConnectionGuard {
  /** The operator's ranges. */
  readonly allow: readonly Range[];
  readonly resolve: Resolve;
  /** Of TCP and TLS together, resolving included. Default 10,000. */
  readonly timeoutMilliseconds?: number;
}

/**
 * The addresses that a host stands for: itself when it is a literal, else all that its name has. Rejects with `AddressRefused` when one of them may
 * not be connected to, or the name is an inward one and not all of them lie in the operator's ranges; with the resolver's error for no address.
 */
export const judgedAddresses = async (host: string, { allow, resolve }: ConnectionGuard): Promise<readonly string[]> => {
  if (isIP(host) !== 0) {
    if (!judgeAddress(host, allow)) throw new AddressRefused();
    return [host];
  }
  const addresses = await resolve(host);
  const rule = judgeName(host) ? judgeAddress : isAllowedByOperator;
  if (!addresses.every((address) => rule(address, allow))) throw new AddressRefused();
  return addresses;
};

const guardedLookup =
  (guard: ConnectionGuard): LookupFunction =>
  (host, { all }, callback) => {
    judgedAddresses(host, guard).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, ''),
    );
  };

/**
 * The `connect` function of every undici `Agent`, `Pool` or `Client` that goes where a caller's URL says. Judges a literal (for which undici
 * asks no `lookup`), all addresses of a name at the moment of each connection, and then the connected peer. TLS is checked against the name.
 * What it refuses fails with `AddressRefused`, before any connection is made. Proxies of the environment play no part.
 */
export const guardedConnect = (guard: ConnectionGuard): buildConnector.connector => {
  const connect = buildConnector({
    lookup: guardedLookup(guard),
    autoSelectFamily: true,
    // Node's own 250 ms give a slow host up for an address family that may lead nowhere.
    autoSelectFamilyAttemptTimeout: 2_000,
    timeout: guard.timeoutMilliseconds ?? 10_000,
  });
  return (options, callback) => {
    if (isIP(options.hostname) !== 0 && !judgeAddress(options.hostname, guard.allow)) {
      queueMicrotask(() => callback(new AddressRefused(), null));
      return;
    }
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      const peer = socket.remoteAddress;
      if (peer !== undefined && judgeAddress(peer, guard.allow)) return callback(null, socket);
      socket.destroy();
      // Without a peer it has been closed again already: nothing to judge, and no reason to give the address up.
      callback(peer === undefined ? new Error('The connection was closed at once.') : new AddressRefused(), null);
    });
  };
};
