import { readFileSync } from 'node:fs';
import type { ChannelCredentials } from '@grpc/grpc-js';
import type { Driver } from './driver.ts';

/** Options that version 6 of the client knows, in the flat form in which it compares them. */
const OPTIONS = [
  ...[
    'connectionName',
    'defaultDeadline',
    'discoveryInterval',
    'gossipTimeout',
    'keepAliveInterval',
    'keepAliveTimeout',
    'maxDiscoverAttempts',
  ],
  ...['nodePreference', 'throwOnAppendFailure', 'tls', 'tlsCAFile', 'userCertFile', 'userKeyFile'],
].map((name) => name.toLowerCase());

/**
 * What is wrong with a connection string, in a sentence that holds nothing of it but the names of its options; `null` when it can be tried. The client itself
 * would print the whole string, password included, for an option that it does not know.
 */
export const connectionStringProblem = (url: string): string | null => {
  if (!/^esdb(\+discover)?:\/\/[^/?]/.test(url)) return 'it must begin with esdb:// or esdb+discover:// and name a host';
  for (const [name] of optionsOf(url)) {
    const flat = flatName(name);
    if (flat === 'tlsverifycert')
      return 'tlsVerifyCert is not supported. Give the certificate of the authority with tlsCAFile, or set tls=false';
    if (!OPTIONS.includes(flat)) return `the option ${JSON.stringify(name)} is not known`;
  }
  return null;
};

/** The parts of a valid connection string that the adapter itself works with. */
export interface ServerAddress {
  /** `host:port` of each node that the string names. */
  readonly hosts: readonly string[];
  /** The nodes tell by gossip which of them leads. */
  readonly isCluster: boolean;
  readonly nodePreference: string;
  readonly tls: TlsOptions | null;
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** The connection string of one node: the same credentials and options. */
  readonly urlOf: (host: string) => string;
}

/** PEM texts; `ca` null: the authorities that Node knows. */
export interface TlsOptions {
  readonly ca: Buffer | null;
  readonly key: Buffer | null;
  readonly cert: Buffer | null;
}

const DEFAULT_PORT = '2113';

/** Throws when a file that the string names cannot be read. */
export const serverAddress = (url: string): ServerAddress => {
  const [, discover, given, hostText = ''] = /^esdb(\+discover)?:\/\/(?:([^:]+:[^@]+)@)?([^?/]+)/.exec(url.trim()) ?? [];
  const hosts = hostText.split(',').map((host) => (host.includes(':') ? host.trim() : `${host.trim()}:${DEFAULT_PORT}`));
  const options = new Map(optionsOf(url).map(([name, value]) => [flatName(name), value]));
  const [user = '', password = ''] = (given ?? '').split(':');
  const query = optionsOf(url).map(([name, value]) => `${name}=${value}`);
  return {
    hosts,
    isCluster: discover !== undefined || hosts.length > 1,
    nodePreference: flatName(options.get('nodepreference') ?? 'leader'),
    tls: options.get('tls') === 'false' ? null : tlsOptions(options),
    credentials: given === undefined ? null : { user: decodeURIComponent(user.trim()), password: decodeURIComponent(password.trim()) },
    urlOf: (host) => `esdb://${given === undefined ? '' : `${given}@`}${host}${query.length > 0 ? `?${query.join('&')}` : ''}`,
  };
};

const tlsOptions = (options: ReadonlyMap<string, string>): TlsOptions => {
  const file = (name: string): Buffer | null => {
    const path = options.get(name);
    return path === undefined ? null : readFileSync(decodeURIComponent(path));
  };
  return { ca: file('tlscafile'), key: file('userkeyfile'), cert: file('usercertfile') };
};

export const channelCredentials = ({ grpc }: Driver, tls: TlsOptions | null): ChannelCredentials =>
  tls === null ? grpc.credentials.createInsecure() : grpc.credentials.createSsl(tls.ca, tls.key, tls.cert);

const flatName = (name: string): string => name.trim().toLowerCase().replace(/[_-]/g, '');

const optionsOf = (url: string): [name: string, value: string][] => {
  const [, query = ''] = url.trim().split('?', 2);
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name, value.trim()];
    });
};
