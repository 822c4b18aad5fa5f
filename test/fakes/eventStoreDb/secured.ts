import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE, LOOPBACK_CERTIFICATE, LOOPBACK_KEY } from '../certificate.ts';
import { type FakeEventStoreDb, type FakeServerOptions, startEventStoreDb } from './startEventStoreDb.ts';

/** A fake EventStoreDB with TLS and users, and connection strings for it. */
export interface SecuredEventStoreDb extends FakeEventStoreDb {
  /** File of the authority that signed its certificate. */
  readonly authority: string;
  /** Of an authority that did not. */
  readonly strangeAuthority: string;
  urlOf(user: string | null, options?: string): string;
}

export const USERS = {
  admin: { password: 'admins-secret', groups: ['$admins'] },
  tributary: { password: 'tributarys-secret', groups: [] },
  other: { password: 'others-secret', groups: ['$ops'] },
} as const;

/** The access list that docs/operations-cluster.md recommends, as the data of an event `$settings` in the event stream `$settings`. */
export const ACCESS_LIST = {
  $userStreamAcl: {
    $r: ['tributary', '$admins'],
    $w: ['tributary', '$admins'],
    $d: ['$admins'],
    $mr: ['tributary', '$admins'],
    $mw: ['tributary', '$admins'],
  },
  $systemStreamAcl: {
    $r: ['tributary', '$admins'],
    $w: ['tributary', '$admins'],
    $d: ['$admins'],
    $mr: ['tributary', '$admins'],
    $mw: ['tributary', '$admins'],
  },
} as const;

export const startSecured = async (
  users: FakeServerOptions['users'] = USERS,
  { cert, key }: NonNullable<FakeServerOptions['tls']> = { cert: LOOPBACK_CERTIFICATE, key: LOOPBACK_KEY },
): Promise<SecuredEventStoreDb> => {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-esdb-'));
  const [authority, strangeAuthority] = [join(directory, 'ca.pem'), join(directory, 'strange.pem')];
  writeFileSync(authority, cert);
  writeFileSync(strangeAuthority, CERTIFICATE);
  const fake = await startEventStoreDb({ tls: { cert, key }, ...(users && { users }) });
  const urlOf = (user: string | null, options = `tlsCAFile=${authority}`): string => {
    const password = user === null ? '' : (users?.[user]?.password ?? '');
    return `esdb://${user === null ? '' : `${user}:${password}@`}127.0.0.1:${fake.port}?${options}`;
  };
  return {
    ...fake,
    authority,
    strangeAuthority,
    urlOf,
    stop: async () => {
      await fake.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
