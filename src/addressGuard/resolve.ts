import { promises as dns } from 'node:dns';

/** All addresses of a name, IPv4 first. Rejects with the resolver's error and its `code` if there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** The name has no address at present. */
export class NameNotResolved extends Error {
  constructor() {
    super('The name could not be resolved.');
    this.name = 'NameNotResolved';
  }
}

const TIMEOUT_MILLISECONDS = 3_000;
const TRIES = 2;

const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * Asks the machine's name servers for both address families in parallel, for a few seconds at most. Does not use `dns.lookup`, which occupies the four
 * threads shared with file access. `localhost` is loopback without a query (RFC 6761).
 */
export const openResolver = (): Resolve => {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MILLISECONDS, tries: TRIES });
  return async (name) => {
    if (isLocalhost(name)) return ['127.0.0.1'];
    const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    if (addresses.length === 0) throw new NameNotResolved();
    return addresses;
  };
};
