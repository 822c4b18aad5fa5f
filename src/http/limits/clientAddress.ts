import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';

/** Whether an address, this many hops away, is a trusted proxy. */
export type ProxyTrust = (address: string, hop: number) => boolean;

/** Like Express's `trust proxy`: false, true, a number of hops, or addresses and ranges. Throws for an invalid one. */
export const proxyTrust = (setting: boolean | number | string): ProxyTrust => {
  if (typeof setting === 'boolean') return () => setting;
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  return proxyAddress.compile(setting.split(',').map((part) => part.trim()));
};

/** Address of the client: the nearest one that is not a trusted proxy. Empty if its connection is gone. */
export const clientAddress = (incoming: IncomingMessage, trusts: ProxyTrust): string =>
  incoming.socket.remoteAddress === undefined ? '' : proxyAddress(incoming, trusts);
