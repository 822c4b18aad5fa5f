import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** The access list that docs/operations.md recommends, as the data of an event `$settings` in the event stream `$settings`. */
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

const selfSigned = (directory: string, name: string): { cert: string; key: string; file: string } => {
  const [file, keyFile] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', keyFile, '-out', file, ...subject],
    { stdio: 'ignore' },
  );
  return { cert: readFileSync(file, 'utf8'), key: readFileSync(keyFile, 'utf8'), file };
};

export const startSecured = async (users: FakeServerOptions['users'] = USERS): Promise<SecuredEventStoreDb> => {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-esdb-'));
  const [own, strange] = [selfSigned(directory, 'eventstoredb'), selfSigned(directory, 'strange')];
  const fake = await startEventStoreDb({ tls: { cert: own.cert, key: own.key }, ...(users && { users }) });
  const urlOf = (user: string | null, options = `tlsCAFile=${own.file}`): string => {
    const password = user === null ? '' : (users?.[user]?.password ?? '');
    return `esdb://${user === null ? '' : `${user}:${password}@`}127.0.0.1:${fake.port}?${options}`;
  };
  return {
    ...fake,
    authority: own.file,
    strangeAuthority: strange.file,
    urlOf,
    stop: async () => {
      await fake.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
