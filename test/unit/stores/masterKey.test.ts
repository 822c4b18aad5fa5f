import { randomBytes } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadMasterKey } from '../../../src/stores/keys/masterKey.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

describe('the master key', () => {
  it('is created once, readable by its owner only, and found again', () => {
    const dataDir = temporaryDirectory();
    const made = loadMasterKey({ setting: undefined, dataDir, create: true });
    expect(made).toHaveLength(32);
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
    expect(loadMasterKey({ setting: undefined, dataDir, create: true })).toEqual(made);
    expect(loadMasterKey({ setting: undefined, dataDir, create: false })).toEqual(made);
  });

  it('is taken from the setting first', () => {
    const dataDir = temporaryDirectory();
    loadMasterKey({ setting: undefined, dataDir, create: true });
    const key = randomBytes(32);
    expect(loadMasterKey({ setting: key.toString('base64'), dataDir, create: false })).toEqual(key);
  });

  it.each(['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), `${'!'.repeat(43)}=`])(
    'is refused without being shown: %j',
    (setting) => {
      const load = () => loadMasterKey({ setting, dataDir: temporaryDirectory(), create: true });
      expect(load).toThrow(/MASTER_KEY must be 32 bytes/);
      if (setting) expect(load).not.toThrow(setting);
    },
  );

  it('is refused by file name if the file is damaged', () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, 'master.key'), 'spoilt');
    expect(() => loadMasterKey({ setting: undefined, dataDir, create: true })).toThrow(/master\.key must be 32 bytes/);
  });

  it('is not replaced for a vault that has lost its key', () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, 'vault.db'), '');
    expect(() => loadMasterKey({ setting: undefined, dataDir, create: true })).toThrow(/Put the file back/);
  });

  it('is reported missing if it may not be created', () => {
    expect(() => loadMasterKey({ setting: undefined, dataDir: temporaryDirectory(), create: false })).toThrow(/master key is missing/);
  });
});
