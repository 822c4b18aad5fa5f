import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from '../syncPath.ts';

const FORM = /^[A-Za-z0-9+/]{43}=$/;

export interface MasterKeySource {
  /** The setting `MASTER_KEY`; takes precedence over the file. */
  readonly setting: string | undefined;
  readonly dataDir: string;
  /** Create `master.key` (mode 0600) if there is neither setting nor file. */
  readonly create: boolean;
}

/** The 32 bytes that encrypt the vault. Throws a sentence if the key is missing or malformed, and never shows it. */
export const loadMasterKey = ({ setting, dataDir, create }: MasterKeySource): Buffer => {
  if (setting !== undefined) return parse(setting, 'MASTER_KEY');
  const file = join(dataDir, 'master.key');
  if (existsSync(file)) return parse(readFileSync(file, 'utf8').trim(), file);
  if (existsSync(join(dataDir, 'vault.db')))
    throw new Error(`${file} is missing, and only its key opens the vault in ${dataDir}. Put the file back or set MASTER_KEY`);
  if (!create) throw new Error(`the master key is missing. Set MASTER_KEY or put ${file} back`);
  return make(dataDir, file);
};

const parse = (text: string, where: string): Buffer => {
  if (!FORM.test(text)) throw new Error(`${where} must be 32 bytes in base64 (44 characters): make one with "openssl rand -base64 32"`);
  return Buffer.from(text, 'base64');
};

/** The file and its directory entry are synced before anything is encrypted with the key. */
const make = (dataDir: string, file: string): Buffer => {
  const key = randomBytes(32);
  writeFileSync(file, `${key.toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  syncPath(dataDir);
  return key;
};
