import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ChannelCredentials } from '@grpc/grpc-js';
import type { Driver } from './driver.ts';

/** Options of version 6 of the client, in the flat form that it compares. */
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
 * Problem of a connection string, in a sentence that contains only the names of its options; `null` if it can be tried. For an unknown option the
 * client itself would print the whole string with its password.
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

/** The parts of a valid connection string that the adapter uses. */
export interface ServerAddress {
  /** `host:port` of each node that the string names. */
  readonly hosts: readonly string[];
  /** The nodes report by gossip which of them leads. */
  readonly isCluster: boolean;
  readonly tls: TlsOptions | null;
  readonly connectionName: string;
  readonly keepAliveMilliseconds: { readonly interval: number; readonly timeout: number };
  /** For the header of each call; `null` without credentials, and without TLS, which would show them. */
  readonly authorization: string | null;
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** PEM texts; without `ca` Node's own authorities are used. */
export interface TlsOptions {
  readonly ca: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly cert: Buffer | undefined;
}

const DEFAULT_PORT = '2113';

/** Throws if a file named in the string cannot be read. */
export const serverAddress = (url: string): ServerAddress => {
  const [, discover, given, hostText = ''] = /^esdb(\+discover)?:\/\/(?:([^:]+:[^@]+)@)?([^?/]+)/.exec(url.trim()) ?? [];
  const hosts = hostText.split(',').map((host) => (host.includes(':') ? host.trim() : `${host.trim()}:${DEFAULT_PORT}`));
  const options = new Map(optionsOf(url).map(([name, value]) => [flatName(name), value]));
  const [user = '', password = ''] = (given ?? '').split(':');
  const tls = options.get('tls') === 'false' ? null : tlsOptions(options);
  const credentials = given === undefined ? null : { user: decodeURIComponent(user.trim()), password: decodeURIComponent(password.trim()) };
  return {
    hosts,
    isCluster: discover !== undefined || hosts.length > 1,
    tls,
    connectionName: options.get('connectionname') ?? randomUUID(),
    keepAliveMilliseconds: { interval: keepAlive(options.get('keepaliveinterval')), timeout: keepAlive(options.get('keepalivetimeout')) },
    authorization:
      credentials === null || tls === null
        ? null
        : `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`,
    credentials,
  };
};

const KEEP_ALIVE_MILLISECONDS = 10_000;

/** -1 switches it off. */
const keepAlive = (given: string | undefined): number => {
  const milliseconds = Number(given ?? KEEP_ALIVE_MILLISECONDS);
  return milliseconds < 0 ? Number.MAX_VALUE : milliseconds;
};

const tlsOptions = (options: ReadonlyMap<string, string>): TlsOptions => {
  const file = (name: string): Buffer | undefined => {
    const path = options.get(name);
    return path === undefined ? undefined : readFileSync(decodeURIComponent(path));
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
