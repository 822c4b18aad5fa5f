import { isIP } from 'node:net';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { USER_AGENT } from '../userAgent.ts';
import { judgeAddress } from './address.ts';
import { AddressRefused, type ConnectionGuard, guardedConnect } from './connect.ts';
import { NotedClient } from './notedClient.ts';
import { openResolver } from './resolve.ts';
import { judgeName } from './url.ts';

/** How callers' URLs are reached: directly, or through the operator's proxy. */
export interface WayOut extends ConnectionGuard {
  /** Opens a tunnel (CONNECT) for each connection. It resolves names, so the guard judges names and literal addresses as text only. */
  readonly proxy?: URL | null;
}

/** `null` for no proxy. With a proxy, no name is resolved here: a name that is refused as text stays refused. */
export const wayOut = (allow: ConnectionGuard['allow'], proxy: URL | null): WayOut => ({
  allow,
  proxy,
  resolve: proxy ? async () => [] : openResolver(),
});

/** An agent for callers' URLs: the guard checks each connection before it is made. A request whose `opaque` is a `ConnectionNote` learns of its connection. */
export const guardedAgent = (guard: WayOut, options: Omit<Agent.Options, 'connect' | 'factory'>): Dispatcher => {
  const { proxy, timeoutMilliseconds: timeout = 10_000 } = guard;
  if (!proxy) return new Agent({ ...options, connect: guardedConnect(guard), factory: notedPool });
  const tls = { allowH2: false, timeout };
  return new ProxyAgent({
    ...options,
    uri: proxy.href,
    proxyTunnel: true,
    // Of the CONNECT request.
    headers: { 'user-agent': USER_AGENT },
    requestTls: tls,
    proxyTls: tls,
    clientFactory: (origin, given) => new Pool(origin, { ...given, headersTimeout: timeout }),
    factory: (origin, given: Pool.Options) => notedPool(origin, { ...given, connect: judgedAsText(guard, given.connect) }),
  });
};

const notedPool = (origin: string | URL, options: Pool.Options): Pool =>
  new Pool(origin, { ...options, factory: (to, given) => new NotedClient(to, given) });

/** The tunnel's `connect`, for the hosts that the guard allows. */
const judgedAsText =
  ({ allow }: WayOut, connect: Pool.Options['connect']): buildConnector.connector =>
  (to, callback) => {
    const host = to.hostname.startsWith('[') ? to.hostname.slice(1, -1) : to.hostname;
    const good = isIP(host) ? judgeAddress(host, allow) : judgeName(host);
    if (!good || typeof connect !== 'function') queueMicrotask(() => callback(new AddressRefused(), null));
    else connect(to, callback);
  };
