import { promises as dns } from 'node:dns';

/** Every address of a name, IPv4 first. Rejects with the resolver's error (`code` says which) when there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** A name that has no address now. */
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
 * Asks the machine's name servers, both families at once; waits seconds at most, and takes none of the four threads that `dns.lookup` shares
 * with files. `localhost` is loopback without a question (RFC 6761).
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
