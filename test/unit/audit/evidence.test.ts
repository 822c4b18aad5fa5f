import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../../src/stores/canonicalJson.ts';
import { findExpectedSeal, readExpectedSeal } from '../../../src/stores/integrity/expectedSeal.ts';
import { SEALS } from '../../../src/stores/integrity/seals.ts';
import { exportSeals, verifyEventStream, verifyStore } from '../../../src/stores/integrity/verifyStore.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { joined, MASTER_KEY, openSealedLog } from './sealedLog.ts';

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
  const database = new DatabaseSync(join(directory, file));
  for (const statement of statements) database.exec(statement);
  database.close();
};

const VAULT = (id: string) => `DELETE FROM "doc:vault" WHERE id = '${id}'`;
const WITHOUT_SEALS = "DELETE FROM events WHERE event_stream = 'seals'";

test('verifies a log without a seal and reports it as unsealed', async () => {
  const { store, keys, close } = await openSealedLog(await made(false));
  expect(await verifyStore({ store, keys })).toEqual({ ok: true, checked: 6, sealed: null, firstBroken: null, notes: [] });
  await close();
});

test.each([
  ['the seal key', ['signing/seal/1'], 'the vault has lost the seal key'],
  ['the note of the newest seal', ['note/newest seal'], 'the vault has lost its note of the newest seal'],
  ['the list of seal keys', ['note/seal keys'], 'the vault has lost its list of seal keys'],
  ['both rows of the attack', ['signing/seal/1', 'note/newest seal'], 'the vault has lost the seal key'],
  ['the whole vault', ['signing/seal/1', 'note/newest seal', 'note/seal keys', 'check'], 'the vault has lost its list of seal keys'],
])('reports a log whose vault lost %s as broken, with or without its seals, and never seals it again', async (_, rows, reason) => {
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

test('reports a changed vault entry as broken, not as an error', async () => {
  const directory = await made(true);
  const changed = `UPDATE "doc:vault" SET body = json_set(body, '$.facts', json('{"x":1}')) WHERE id = 'note/newest seal'`;
  sql(directory, 'vault.db', changed);
  const { store, keys, close } = await openSealedLog(directory);
  expect(await verifyStore({ store, keys })).toMatchObject({ ok: false, firstBroken: { reason: 'an entry of the vault was changed' } });
  await close();
});

test('verifies a directory restored to an older copy, unless a seal kept elsewhere is expected', async () => {
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

test.each(['', 'no json', '{"keyId":"x"}'])('refuses a file without a seal and says why: %j', (text) => {
  expect(() => readExpectedSeal(text)).toThrow('a line of "tributary audit seals"');
});

/** Puts a vault back into the form of earlier versions: entries authenticate their id only, and there is no list of seal keys. */
const asEarlierVersion = (directory: string): void => {
  const database = new DatabaseSync(join(directory, 'vault.db'));
  const rows = database.prepare('SELECT id, body FROM "doc:vault"').all() as { id: string; body: string }[];
  for (const { id, body } of rows) {
    const { sealed, facts, form } = JSON.parse(body);
    const bytes = Buffer.from(sealed, 'base64');
    const beside = Buffer.from(canonicalJson({ id, form, facts }));
    const decipher = createDecipheriv('aes-256-gcm', MASTER_KEY, bytes.subarray(0, 12)).setAAD(beside).setAuthTag(bytes.subarray(-16));
    const secret = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', MASTER_KEY, iv).setAAD(Buffer.from(id));
    const earlier = Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64');
    database.prepare('UPDATE "doc:vault" SET body = ? WHERE id = ?').run(JSON.stringify({ sealed: earlier, facts }), id);
  }
  database.exec(VAULT('note/seal keys'));
  database.close();
};

test.each([true, false])('upgrades a data directory of an earlier version (sealed: %s) once, and continues to seal it', async (sealed) => {
  const directory = await made(sealed);
  asEarlierVersion(directory);
  if (!sealed) sql(directory, 'vault.db', ...['note/newest seal', 'signing/seal/1'].map(VAULT));
  const first = await openSealedLog(directory);
  expect(await verifyStore(first)).toMatchObject({ ok: true });
  await first.close();
  const { store, keys, seal, tell, untilSealed, close } = await openSealedLog(directory);
  expect(keys.upgrading).toBe(false);
  await tell('group-b', joined('x'), joined('y'));
  const stop = seal(sealed ? 2 : 8);
  await untilSealed(sealed ? [6, 2] : [8]);
  await stop();
  expect(await verifyStore({ store, keys })).toMatchObject({ ok: true, firstBroken: null });
  await close();
});

test('reports a sealed data directory of an earlier version as broken if it lost its seal key', async () => {
  const directory = await made(true);
  asEarlierVersion(directory);
  sql(directory, 'vault.db', ...['note/newest seal', 'signing/seal/1'].map(VAULT));
  for (let start = 0; start < 2; start++) {
    const { store, keys, close } = await openSealedLog(directory);
    expect(await verifyStore({ store, keys })).toMatchObject({ ok: false });
    await close();
  }
});

test('reports an erasure as broken if the vault lost the marker of the erased subject', async () => {
  const directory = temporaryDirectory();
  const { keys, tell, close } = await openSealedLog(directory);
  await keys.subjectKey('u', { create: true });
  await keys.destroySubjectKey('u');
  await tell('group-a', joined('s'));
  await tell('audit-admin', { type: 'SubjectErased', data: { subject: 'u' } });
  await close();
  const verdict = async () => {
    const { store, keys: opened, close: shut } = await openSealedLog(directory);
    const found = await verifyStore({ store, keys: opened });
    await shut();
    return found;
  };
  expect(await verdict()).toMatchObject({ ok: true, checked: 2 });
  const lost = { ok: false, firstBroken: { eventStream: 'audit-admin', revision: 0n, reason: expect.stringContaining('lost the marker') } };
  sql(directory, 'vault.db', `UPDATE "doc:vault" SET body = '{"destroyed":true}' WHERE id = 'subject/u'`);
  expect(await verdict()).toMatchObject(lost);
  sql(directory, 'vault.db', VAULT('subject/u'));
  expect(await verdict()).toMatchObject(lost);
});

test('pauses after every 25 events, or sooner, while it verifies one event stream', async () => {
  const directory = temporaryDirectory();
  const { store, keys, tell, close } = await openSealedLog(directory);
  await tell('group-a', ...Array.from({ length: 100 }, (_, n) => joined(`s${n}`)));
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  expect(await verifyEventStream({ store, keys }, 'group-a', pause)).toMatchObject({ ok: true, checked: 100 });
  expect(pauses).toBeGreaterThanOrEqual(4);
  await close();
});
