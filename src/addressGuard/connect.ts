import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isAllowedByOperator, judgeAddress } from './address.ts';
import { paceReads } from './pacedReads.ts';
import { judgeName, type UrlGuard } from './url.ts';

/** The connection would go, or went, to a forbidden address. The message does not contain the address. */
export class AddressRefused extends Error {
  constructor() {
    super('The address is not allowed.');
    this.name = 'AddressRefused';
  }
}

export interface ConnectionGuard extends UrlGuard {
  /** Time limit of resolving, TCP and TLS together, in milliseconds. Default 10,000. */
  readonly timeoutMilliseconds?: number;
}

/**
 * The addresses of a host: the host itself if it is a literal, otherwise all addresses of the name. Rejects with `AddressRefused` if one of them is
 * forbidden, or if the name is internal and not all of them are in the operator's ranges. Rejects with the resolver's error if there are none.
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
 * The `connect` function for every undici `Agent`, `Pool` or `Client` that follows a caller's URL. Checks a literal (undici does not `lookup` those),
 * all addresses of a name at each connection, and finally the connected peer. TLS is verified against the name. A refusal fails with
 * `AddressRefused` before any connection is made. Ignores the environment's proxies. Connections are read in short turns (`paceReads`).
 */
export const guardedConnect = (guard: ConnectionGuard): buildConnector.connector => {
  const connect = buildConnector({
    lookup: guardedLookup(guard),
    // The limits of headers and 1xx responses are those of HTTP/1.1.
    allowH2: false,
    autoSelectFamily: true,
    // Node's default of 250 ms would abandon a slow host for an address family that may not work.
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
      if (peer !== undefined && judgeAddress(peer, guard.allow)) {
        paceReads(socket);
        return callback(null, socket);
      }
      socket.destroy();
      // Without a peer the connection is already closed: nothing to check, and no reason to reject the address.
      callback(peer === undefined ? new Error('The connection was closed at once.') : new AddressRefused(), null);
    });
  };
};
