import type { IncomingMessage } from 'node:http';
import express from 'express';

/** Whether an address, so many hops away, may be believed about where a request came from. */
export type ProxyTrust = (address: string, hop: number) => boolean;

/** From Express's `trust proxy` setting: false, true, a number of hops, or addresses and ranges. Throws for one that cannot be read. */
export const proxyTrust = (setting: boolean | number | string): ProxyTrust => {
  const app = express();
  app.set('trust proxy', setting);
  return app.get('trust proxy fn');
};

/** Where a request came from: the nearest address that is no trusted proxy. Empty when its connection is gone. */
export const clientAddress = (incoming: IncomingMessage, trusts: ProxyTrust): string => {
  const direct = incoming.socket.remoteAddress ?? '';
  const forwarded = incoming.headers['x-forwarded-for'];
  if (forwarded === undefined || direct === '') return direct;
  const told = String(forwarded)
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .reverse();
  const chain = [direct, ...told];
  const nearest = chain.findIndex((address, hop) => !trusts(address, hop));
  return chain[nearest < 0 ? chain.length - 1 : nearest] ?? direct;
};
