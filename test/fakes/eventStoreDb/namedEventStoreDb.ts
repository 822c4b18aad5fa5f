import { serverAddress } from '../../../src/stores/eventstoredb/connectionString.ts';
import { openTcpProxy, type TcpProxy } from '../tcpProxy.ts';

/** Why the network of a server cannot be disturbed; `null` if it can: gossip and certificates name the server itself. */
export const undisturbable = (url: string): string | null => {
  const { isCluster, tls } = serverAddress(url);
  return isCluster || tls !== null ? 'needs an EVENTSTORE_URL with one node and tls=false' : null;
};

/** A proxy in front of the server of a connection string, and the connection string through it. */
export const throughProxy = async (url: string): Promise<{ readonly url: string; readonly proxy: TcpProxy }> => {
  const [host = '', port = ''] = serverAddress(url).hosts[0]?.split(':') ?? [];
  const proxy = await openTcpProxy({ host, port: Number(port) });
  const through = new URL(url);
  through.host = `127.0.0.1:${proxy.port}`;
  return { url: through.href, proxy };
};
