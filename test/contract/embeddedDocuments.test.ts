import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DataDirectoryRefused } from '../../src/stores/embedded/dataDirectory.ts';
import { countQuery, findQuery } from '../../src/stores/embedded/documentSql.ts';
import { openEmbeddedDocuments } from '../../src/stores/embedded/documents.ts';
import type { DocumentsWriterData } from '../../src/stores/embedded/documentsWriter.ts';
import { type Position, StoreUnavailable } from '../../src/stores/eventStore.ts';
import { eventually } from '../eventually.ts';
import { smallDisk } from '../smallDisk.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { documentsContract } from './documents.ts';

/** For another process: it is the last to close the file, as far as its locks show. */
const WRITE_AND_CLOSE = `
  import { DatabaseSync } from 'node:sqlite';
  const database = new DatabaseSync(process.argv[1]);
  database.exec(\`INSERT INTO "doc:keys" VALUES ('other', '', '{}')\`);
  database.close();`;

describe('embedded documents', () => {
  documentsContract(() => openEmbeddedDocuments({ file: join(temporaryDirectory(), 'views.db'), durability: 'NORMAL' }));

  const open = async (file: string, durability: 'FULL' | 'NORMAL' = 'FULL') => {
    const documents = await openEmbeddedDocuments({ file, durability });
    onTestFinished(() => documents.close());
    return documents;
  };

  it('survive reopening, readable by their owner only', async () => {
    const file = join(temporaryDirectory(), 'vault.db');
    const first = await openEmbeddedDocuments({ file, durability: 'FULL' });
    await first.ensureCollection({ name: 'keys', indexes: [['kind']] });
    await first.create('keys', 'a', { kind: 'x' });
    await first.close();
    const second = await open(file);
    expect(await second.find('keys', { where: { kind: 'x' }, limit: 1 })).toEqual([{ id: 'a', position: '', body: { kind: 'x' } }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
  });

  it('leave no deleted or replaced word of a full text in their files once they are purged', async () => {
    const directory = temporaryDirectory();
    const documents = await open(join(directory, 'views.db'), 'NORMAL');
    await documents.ensureCollection({
      name: 'texts',
      indexes: [['owner', 'made']],
      fullText: { passages: 'passages', owner: 'owner', newestBy: 'made' },
    });
    const write = (id: string, position: string, text: string | null) =>
      documents.writeBatch(
        'texts',
        [{ id, position: position as Position, body: text === null ? null : { owner: 'u', passages: [{ text }] } }],
        { name: 'texts', position: position as Position, epoch: 1 },
      );
    for (let n = 0; n < 200; n += 1) await write(`kept ${n}`, '1', `other words ${n}`);
    await write('replaced', '1', 'zanzibar quokka');
    await write('deleted', '1', 'zanzibar xylophone');
    await write('replaced', '2', 'something else');
    await write('deleted', '2', null);
    await documents.purge();
    const bytes = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
    for (const word of ['zanzibar', 'quokka', 'xylophone', 'anzibar', 'uokka'])
      expect(bytes.filter((file) => file.includes(word))).toEqual([]);
    const query = { all: [{ words: ['other'], prefix: false }], none: [] };
    expect(await documents.search('texts', { query, where: { owner: 'u' }, limit: 1_000 })).toHaveLength(200);
  });

  it('keep the locks of connections of this process when they are opened again, so that no other process deletes a log in use', async () => {
    const file = join(temporaryDirectory(), 'vault.db');
    const first = await open(file);
    await first.ensureCollection({ name: 'keys', indexes: [] });
    await first.create('keys', 'ours', {});
    await open(file);
    execFileSync(process.execPath, ['--input-type=module', '--eval', WRITE_AND_CLOSE, file]);
    expect(existsSync(`${file}-wal`)).toBe(true);
    expect((await first.find('keys', { limit: 9 })).map(({ id }) => id)).toEqual(['other', 'ours']);
  });

  it('answer "unavailable" when their thread dies, lose no acknowledged write, and continue with a new thread', async () => {
    const threads: Worker[] = [];
    const startWriter = (workerData: DocumentsWriterData) => {
      const thread = new Worker(new URL('../../dist/stores/embedded/documentsWriter.js', import.meta.url), { workerData });
      threads.push(thread);
      return thread;
    };
    const documents = await openEmbeddedDocuments({ file: join(temporaryDirectory(), 'views.db'), durability: 'FULL', startWriter });
    onTestFinished(() => documents.close());
    await documents.ensureCollection({ name: 'items', indexes: [] });
    for (const id of ['a', 'b', 'c']) {
      expect(await documents.create('items', id, {})).toBe(true);
      await threads.at(-1)?.terminate();
    }
    expect(threads).toHaveLength(3);
    const dying = Array.from({ length: 50 }, (_, n) => documents.create('items', `dying-${n}`, {}));
    const dead = threads.at(-1)?.terminate();
    const outcomes = await Promise.allSettled(dying);
    await dead;
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreUnavailable);
    // A thread that dies before it has opened the file counts as a failed start, which is repeated after a second.
    await eventually(async () => expect(await documents.create('items', 'z', {})).toBe(true));
    for (const [n, { status }] of outcomes.entries())
      if (status === 'fulfilled') expect(await documents.get('items', `dying-${n}`)).not.toBeNull();
    for (const id of ['a', 'b', 'c', 'z']) expect(await documents.get('items', id)).not.toBeNull();
  });

  it('are rebuilt empty if the file was deleted, even with its log left behind', async () => {
    const file = join(temporaryDirectory(), 'views.db');
    const first = await openEmbeddedDocuments({ file, durability: 'NORMAL' });
    await first.ensureCollection({ name: 'items', indexes: [] });
    await first.create('items', 'a', {});
    expect(existsSync(`${file}-wal`)).toBe(true);
    const log = readFileSync(`${file}-wal`);
    await first.close();
    rmSync(file);
    writeFileSync(`${file}-wal`, log);
    const second = await open(file);
    expect(await second.listCollections('')).toEqual([]);
  });

  it('refuse a file of a newer version', async () => {
    const file = join(temporaryDirectory(), 'views.db');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    await expect(openEmbeddedDocuments({ file, durability: 'FULL' })).rejects.toThrow('newer version');
  });

  it.each([
    ['FULL', 'Restore it from a backup.'],
    ['NORMAL', 'delete the file and start again.'],
  ] as const)('say what to do about a damaged file (%s), but not about a locked one', async (durability, remedy) => {
    const damaged = join(temporaryDirectory(), 'some.db');
    writeFileSync(damaged, 'no database '.repeat(1_000));
    await expect(openEmbeddedDocuments({ file: damaged, durability })).rejects.toThrow(remedy);
    const file = join(temporaryDirectory(), 'some.db');
    const other = new DatabaseSync(file);
    other.exec('BEGIN EXCLUSIVE');
    const opening = openEmbeddedDocuments({ file, durability });
    await expect(opening).rejects.toThrow(new DataDirectoryRefused(`${file} cannot be opened: database is locked`));
    other.close();
  });

  it('answer StoreUnavailable while the file cannot be written, and write again afterwards', async () => {
    const file = join(temporaryDirectory(), 'views.db');
    const documents = await open(file);
    await documents.ensureCollection({ name: 'items', indexes: [] });
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(documents.create('items', 'a', {})).rejects.toThrow(StoreUnavailable);
    other.exec('ROLLBACK');
    other.close();
    expect(await documents.create('items', 'a', {})).toBe(true);
  });

  it('answer StoreUnavailable while the disk is full, lose nothing, and write again afterwards', async ({ skip }) => {
    const disk = smallDisk(4) ?? skip('no file system can be mounted here');
    const documents = await open(join(disk.directory, 'views.db'));
    await documents.ensureCollection({ name: 'items', indexes: [['n']] });
    const body = (n: number) => ({ n, text: 'x'.repeat(10_000) });
    for (let n = 0; n < 10; n += 1) await documents.create('items', `kept${n}`, body(n));
    disk.fill();
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => documents.create('items', `more${n}`, body(n))));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(StoreUnavailable);
    expect((await documents.getMany('items', ['kept0', 'kept9'])).length).toBe(2);
    disk.free();
    for (const [n, { status }] of results.entries()) {
      expect(await documents.create('items', `more${n}`, body(n))).toBe(status === 'rejected');
    }
    expect(await documents.count('items')).toBe(110);
  });

  it('leave no bytes of a replaced or removed secret in the file or its log', async () => {
    const file = join(temporaryDirectory(), 'vault.db');
    const documents = await open(file);
    await documents.ensureCollection({ name: 'keys', indexes: [] });
    await documents.create('keys', 'a', { secret: 'SECRET-ONE' });
    await documents.create('keys', 'b', { secret: 'SECRET-TWO', long: 'x'.repeat(20_000) });
    await documents.replace('keys', 'a', { gone: true });
    await documents.remove('keys', 'b');
    for (const name of [file, `${file}-wal`]) expect(readFileSync(name, 'latin1')).not.toMatch(/SECRET/);
  });

  it('are found by their indexes, in order, without a scan', async () => {
    const file = join(temporaryDirectory(), 'views.db');
    const spec = { name: 'items', indexes: [['owner', 'made'], ['state']] };
    const documents = await open(file, 'NORMAL');
    await documents.ensureCollection(spec);
    const database = new DatabaseSync(file);
    onTestFinished(() => {
      database.close();
    });
    const plan = (options: Parameters<typeof findQuery>[1]) => {
      const { sql, values } = findQuery(spec, options);
      return database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values)
        .map((row) => JSON.stringify(row))
        .join('\n');
    };
    const byOwner = plan({ where: { owner: 'u' }, orderBy: [{ member: 'made', direction: 'asc' }], limit: 10 });
    expect(byOwner).toMatch(/SEARCH.*INDEX doc:items:owner,made/);
    expect(byOwner).not.toMatch(/B-TREE/);
    const newest = plan({ where: { owner: 'u' }, orderBy: [{ member: 'made', direction: 'desc' }], limit: 10 });
    expect(newest).toMatch(/SEARCH.*INDEX doc:items:owner,made/);
    // Sorting would read every document before a deep page.
    expect(newest).not.toMatch(/B-TREE/);
    expect(plan({ where: { state: ['on', 'off'] }, limit: 10 })).toMatch(/SEARCH.*INDEX doc:items:state/);
  });

  it.each([
    ['both ends', { from: 'a', to: 'b' }],
    ['no end', { from: 'a' }],
    ['no beginning', { to: 'b' }],
  ])('are counted in a range with %s by their index alone, without parsing documents', async (_, made) => {
    const file = join(temporaryDirectory(), 'views.db');
    const spec = { name: 'items', indexes: [['owner', 'made']] };
    await (await open(file, 'NORMAL')).ensureCollection(spec);
    const database = new DatabaseSync(file);
    onTestFinished(() => {
      database.close();
    });
    const { sql, values } = countQuery(spec, { owner: 'u', made });
    const steps = database
      .prepare(`EXPLAIN ${sql}`)
      .all(...values)
      .map((step) => JSON.stringify(step));
    // The index has the member; json_extract and typeof need the document.
    expect(steps.filter((step) => /json_extract|typeof/.test(step))).toEqual([]);
  });
});
