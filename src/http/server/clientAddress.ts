import type { IncomingMessage } from 'node:http';
import express from 'express';

/** Whether an address, this many hops away, is a trusted proxy. */
export type ProxyTrust = (address: string, hop: number) => boolean;

/** From Express's `trust proxy` setting: false, true, a number of hops, or addresses and ranges. Throws for an invalid one. */
export const proxyTrust = (setting: boolean | number | string): ProxyTrust => {
  const app = express();
  app.set('trust proxy', setting);
  return app.get('trust proxy fn');
};

/** Only the end of a longer X-Forwarded-For is read: it names the nearest proxies, and a caller may have written the rest. */
const READ_CHARACTERS = 4_096;

/** Address of the client: the nearest one that is not a trusted proxy. Empty if its connection is gone. */
export const clientAddress = (incoming: IncomingMessage, trusts: ProxyTrust): string => {
  const direct = incoming.socket.remoteAddress ?? '';
  const forwarded = incoming.headers['x-forwarded-for'];
  if (forwarded === undefined || direct === '' || !trusts(direct, 0)) return direct;
  const told = String(forwarded).slice(-READ_CHARACTERS).split(',');
  const chain = told.map((part) => part.trim()).filter(Boolean);
  chain.reverse();
  const nearest = chain.findIndex((address, index) => !trusts(address, index + 1));
  return chain.at(nearest) ?? direct;
};
