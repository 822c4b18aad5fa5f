import { isIP } from 'node:net';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { judgeAddress } from './address.ts';
import { AddressRefused, type ConnectionGuard, guardedConnect } from './connect.ts';
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

/** An agent for callers' URLs: the guard checks each connection before it is made. `onConnect` is called for each, with its origin. */
export const guardedAgent = (
  guard: WayOut,
  options: Omit<Agent.Options, 'connect' | 'factory'>,
  onConnect = (_: string) => {},
): Dispatcher => {
  const noted =
    (connect: buildConnector.connector): buildConnector.connector =>
    (to, callback) => {
      onConnect(`${to.protocol}//${to.host}`);
      connect(to, callback);
    };
  const { proxy, timeoutMilliseconds: timeout = 10_000 } = guard;
  if (!proxy) return new Agent({ ...options, connect: noted(guardedConnect(guard)) });
  const tls = { allowH2: false, timeout };
  return new ProxyAgent({
    ...options,
    uri: proxy.href,
    proxyTunnel: true,
    requestTls: tls,
    proxyTls: tls,
    clientFactory: (origin, given) => new Pool(origin, { ...given, headersTimeout: timeout }),
    factory: (origin, given: Pool.Options) => new Pool(origin, { ...given, connect: noted(judgedAsText(guard, given.connect)) }),
  });
};

/** The tunnel's `connect`, for the hosts that the guard allows. */
const judgedAsText =
  ({ allow }: WayOut, connect: Pool.Options['connect']): buildConnector.connector =>
  (to, callback) => {
    const host = to.hostname.startsWith('[') ? to.hostname.slice(1, -1) : to.hostname;
    const good = isIP(host) ? judgeAddress(host, allow) : judgeName(host);
    if (!good || typeof connect !== 'function') queueMicrotask(() => callback(new AddressRefused(), null));
    else connect(to, callback);
  };
