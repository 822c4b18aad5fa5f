import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { findExpectedSeal, readExpectedSeal } from '../../../src/stores/integrity/expectedSeal.ts';
import { SEALS } from '../../../src/stores/integrity/seals.ts';
import { exportSeals, verifyEventStream, verifyStore } from '../../../src/stores/integrity/verifyStore.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { joined, openSealedLog } from './sealedLog.ts';

/** A log of six events, sealed or not. */
const made = async (sealed: boolean): Promise<string> => {
  const directory = temporaryDirectory();
  const { tell, seal, untilSealed, close } = await openSealedLog(directory);
  for (let n = 0; n < 6; n++) await tell('group-a', joined(`s${n}`));
  if (sealed) {
    const stop = seal(6);
    await untilSealed([6]);
    await stop();
  }
  await close();
  return directory;
};

const sql = (directory: string, file: string, ...statements: string[]): void => {
  const database = new Database(join(directory, file));
  for (const statement of statements) database.exec(statement);
  database.close();
};

const VAULT = (id: string) => `DELETE FROM "doc:vault" WHERE id = '${id}'`;
const WITHOUT_SEALS = "DELETE FROM events WHERE event_stream = 'seals'";

test('a log without a seal holds, and is unsealed', async () => {
  const { store, keys, close } = await openSealedLog(await made(false));
  expect(await verifyStore({ store, keys })).toEqual({ ok: true, checked: 6, sealed: null, firstBroken: null });
  await close();
});

test.each([
  ['the seal key', ['signing/seal/1'], 'the vault has lost the seal key'],
  ['the note of the newest seal', ['note/newest seal'], 'the vault has lost its note of the newest seal'],
  ['the list of seal keys', ['note/seal keys'], 'the vault has lost its list of seal keys'],
  ['both rows of the attack', ['signing/seal/1', 'note/newest seal'], 'the vault has lost the seal key'],
  ['the whole vault', ['signing/seal/1', 'note/newest seal', 'note/seal keys', 'check'], 'the vault has lost its list of seal keys'],
])('a log whose vault lost %s is broken, with or without its seals, and is never sealed again', async (_, rows, reason) => {
  for (const sealed of [true, false]) {
    const directory = await made(sealed);
    sql(directory, 'vault.db', ...rows.map(VAULT));
    if (sealed) sql(directory, 'log.db', WITHOUT_SEALS);
    const { store, keys, seal, clock, close } = await openSealedLog(directory);
    for (const verdict of [await verifyStore({ store, keys }), await verifyEventStream({ store, keys }, 'group-a')]) {
      expect(verdict).toMatchObject({ ok: false, firstBroken: { eventStream: 'seals', reason: expect.stringContaining(reason) } });
    }
    const stop = seal(1);
    await clock.advance(120_000);
    await stop();
    expect(await store.readStream(SEALS)).toEqual([]);
    expect(await verifyStore({ store, keys })).toMatchObject({ ok: false });
    await close();
  }
});

test('a changed entry of the vault is broken, not an error', async () => {
  const directory = await made(true);
  const changed = `UPDATE "doc:vault" SET body = json_set(body, '$.facts', json('{"x":1}')) WHERE id = 'note/newest seal'`;
  sql(directory, 'vault.db', changed);
  const { store, keys, close } = await openSealedLog(directory);
  expect(await verifyStore({ store, keys })).toMatchObject({ ok: false, firstBroken: { reason: 'an entry of the vault was changed' } });
  await close();
});

test('a directory put back to an older copy verifies by itself, and not against a seal that was kept elsewhere', async () => {
  const directory = await made(true);
  const older = temporaryDirectory();
  cpSync(directory, older, { recursive: true });
  const now = await openSealedLog(directory);
  await now.tell('group-b', joined('later'), joined('later still'));
  const stop = now.seal(2);
  await now.untilSealed([6, 2]);
  await stop();
  const lines: string[] = [];
  for await (const line of exportSeals(now)) lines.push(JSON.stringify(line));
  const kept = readExpectedSeal(lines.join('\n'));
  expect(kept.revision).toBe(1n);
  expect(await findExpectedSeal(now.store, kept)).toBeNull();
  await now.close();

  const { store, keys, close } = await openSealedLog(older);
  expect(await verifyStore({ store, keys })).toMatchObject({ ok: true });
  expect(await findExpectedSeal(store, kept)).toMatchObject({ revision: 1n, reason: expect.stringContaining('kept elsewhere') });
  expect(await findExpectedSeal(store, { revision: 0n, hash: 'another' })).toMatchObject({
    reason: expect.stringContaining('not the seal'),
  });
  await close();
});

test.each(['', 'no json', '{"keyId":"x"}'])('a file without a seal is refused with a sentence: %j', (text) => {
  expect(() => readExpectedSeal(text)).toThrow('a line of "tributary audit seals"');
});
