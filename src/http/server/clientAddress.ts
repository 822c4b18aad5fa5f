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

/** Address of the client: the nearest one that is not a trusted proxy. Empty if its connection is gone. */
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
