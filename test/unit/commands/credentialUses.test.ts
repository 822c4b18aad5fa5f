import { expect, test } from 'vitest';
import { openCredentialUses } from '../../../src/commands/credentialUses.ts';
import { silentLogger } from '../../../src/logger.ts';
import type { StoredDocument } from '../../../src/stores/documents.ts';
import { MemoryDocuments } from '../../fakes/memoryDocuments.ts';
import { ManualClock } from '../../manualClock.ts';

const MINUTE = 60_000;
const KEY = { credentialId: 'key', subject: 'owner' };

/** Documents that count what is written to them. */
class CountedDocuments extends MemoryDocuments {
  writes = 0;

  override async create(...args: Parameters<MemoryDocuments['create']>): Promise<boolean> {
    const made = await super.create(...args);
    if (made) this.writes += 1;
    return made;
  }

  override async replace(_: string, id: string, body: StoredDocument['body']): Promise<boolean> {
    this.writes += 1;
    this.documents.set(id, { id, position: '', body });
    return true;
  }

  override async getMany(_: string, ids: readonly string[]): Promise<StoredDocument[]> {
    return ids.flatMap((id) => this.documents.get(id) ?? []);
  }
}

const opened = async (documents = new CountedDocuments(), clock = new ManualClock()) => {
  const uses = await openCredentialUses({ documents, clock, logger: silentLogger });
  const stopping = new AbortController();
  const kept = uses.runUntil(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await kept;
  };
  return { documents, clock, uses, stop };
};

test('shows a use at once, to the minute', async () => {
  const { uses, stop } = await opened(undefined, new ManualClock(Date.parse('2026-01-01T10:20:30.500Z')));
  uses.note(KEY);
  expect(Object.fromEntries(await uses.lastUsed(['key', 'never used']))).toEqual({ key: '2026-01-01T10:20:00.000Z' });
  await stop();
});

test('stores ten thousand uses in one minute with a single write, and one more for the next minute', async () => {
  const { documents, clock, uses, stop } = await opened();
  for (let n = 0; n < 10_000; n++) uses.note(KEY);
  expect(documents.writes).toBe(0);
  await clock.advance(MINUTE);
  expect(documents.writes).toBe(1);
  for (let n = 0; n < 10_000; n++) uses.note(KEY);
  await clock.advance(MINUTE);
  await clock.advance(MINUTE);
  expect(documents.writes).toBe(2);
  await stop();
});

test('writes the uses of the current minute when it stops, and another node shows them', async () => {
  const { documents, clock, uses, stop } = await opened();
  uses.note(KEY);
  await stop();
  const other = await opened(documents, clock);
  expect((await other.uses.lastUsed(['key'])).get('key')).toBe('2026-01-01T00:00:00.000Z');
  await other.stop();
});

test('keeps the later use of another node if a node writes late', async () => {
  const documents = new CountedDocuments();
  const late = await opened(documents, new ManualClock(0));
  const prompt = await opened(documents, new ManualClock(5 * MINUTE));
  late.uses.note(KEY);
  prompt.uses.note(KEY);
  await prompt.stop();
  await late.stop();
  expect((await late.uses.lastUsed(['key'])).get('key')).toBe('1970-01-01T00:05:00.000Z');
});

test('repeats a failed write a minute later', async () => {
  const { documents, clock, uses, stop } = await opened();
  const create = documents.create.bind(documents);
  documents.create = () => Promise.reject(new Error('the store is away'));
  uses.note(KEY);
  await clock.advance(MINUTE);
  documents.create = create;
  await clock.advance(MINUTE);
  expect(documents.writes).toBe(1);
  await stop();
});

test('forgets the uses of an erased subject, in memory too', async () => {
  const { uses, stop } = await opened();
  uses.note(KEY);
  await stop();
  uses.note({ credentialId: 'other', subject: 'somebody else' });
  expect(await uses.personal.count('owner')).toBe(1);
  await uses.personal.erased('owner', '' as never);
  expect(await uses.personal.count('owner')).toBe(0);
  expect([...(await uses.lastUsed(['key', 'other'])).keys()]).toEqual(['other']);
});
