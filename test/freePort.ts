import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** A port of this machine that is free now. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  // Listening on TCP has an address of this form.
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
};
