import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { DROP_TOPIC, LOG_TABLES, PAGE_SIZE, storeTopic, WRITER_PRAGMAS } from '../../../src/stores/embedded/logSchema.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const SECRET = 'bytes of the erased subject';

/** The same numbers for the same seed, from 0 to 1. */
const numbers = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
  return seed / 0x7fffffff;
};

/** Logs of earlier versions have pages of 4 KiB. */
test.each([4_096, PAGE_SIZE])(
  'leaves no bytes of deleted topics in pages of %i bytes, even when SQLite has moved rows',
  { timeout: 60_000 },
  (pageSize) => {
    for (let round = 1; round <= 10; round++) {
      const next = numbers(round);
      const file = join(temporaryDirectory(), 'log.db');
      const db = new DatabaseSync(file);
      db.exec(WRITER_PRAGMAS.replace('synchronous = FULL', 'synchronous = OFF').replace(String(PAGE_SIZE), String(pageSize)));
      db.exec(LOG_TABLES);
      const store = db.prepare(storeTopic(pageSize));
      const drop = db.prepare(DROP_TOPIC);
      const ids: { readonly secret: string[]; readonly other: string[] } = { secret: [], other: [] };
      for (let n = 0; n < 200; n++) {
        const size = 30 + Math.floor(next() * 1_200);
        const kind = next() < 0.4 ? 'secret' : 'other';
        const text = kind === 'secret' ? SECRET : 'nothing personal';
        store.run(`${n}`, Buffer.from(text.repeat(Math.ceil(size / text.length))));
        ids[kind].push(`${n}`);
      }
      const shuffled = (list: readonly string[]) => list.map((id) => ({ id, at: next() })).sort((a, b) => a.at - b.at);
      for (const { id } of shuffled(ids.other).slice(0, Math.floor(ids.other.length * 0.7))) drop.run(id);
      for (const { id } of shuffled(ids.secret)) drop.run(id);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
      expect([round, readFileSync(file).includes(SECRET)]).toEqual([round, false]);
    }
  },
);
