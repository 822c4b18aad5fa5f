import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allProjections } from '../../../src/projections/all.ts';
import { countPersonal, redactDocuments, SUBJECT_ERASED } from '../../../src/projections/engine/erasure.ts';
import type { Projection } from '../../../src/projections/projection.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import type { Position } from '../../../src/stores/eventStore.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

interface Note {
  readonly owner: string;
  readonly made: string;
  readonly text: string | null;
}

const notes: Projection<Note> = {
  ...{ name: 'notes', version: 1, indexes: [['owner', 'made']], handles: [] },
  idsOf: () => [],
  evolve: () => null,
  personal: { owner: 'owner', orderedBy: 'made', redact: (note) => (note.text === null ? note : { ...note, text: null }) },
};
// The engine sees documents of any type.
const projection = notes as unknown as Projection<object>;
const NOTES = 1_200;
const at = (n: number) => String(n).padStart(8, '0') as Position;

test('each read model with personal data has an index that an erasure can follow', () => {
  const personal = allProjections.filter((model) => model.personal);
  expect(personal.length).toBeGreaterThan(2);
  for (const { name, indexes, personal: found } of personal)
    expect([name, indexes.filter((members) => members[0] === found?.owner && members[1] === found?.orderedBy).length]).toEqual([name, 1]);
});

/** Notes of Anna and Ben in a store, and how many documents each read and write had. */
const opened = async (count: number, textOf: (n: number) => string | null) => {
  const file = join(temporaryDirectory(), 'views.db');
  const documents = await openEmbeddedDocuments({ startWriter: documentsWriterInThread, file, durability: 'NORMAL' });
  onTestFinished(() => documents.close());
  await documents.ensureCollection({ name: 'notes', indexes: notes.indexes });
  const written = Array.from({ length: count }, (_, n) => ({
    ...{ id: `note-${n}`, position: at(n + 1) },
    // Many have the same time.
    body: { owner: n % 3 === 0 ? 'anna' : 'ben', made: String(n % 7), text: textOf(n) },
  }));
  const before = { name: 'notes', position: at(count), epoch: 1 };
  await documents.writeBatch('notes', written, before);
  const sizes: number[] = [];
  const { getMany, writeBatch } = documents;
  documents.getMany = (collection, ids) => {
    sizes.push(ids.length);
    return getMany.call(documents, collection, ids);
  };
  documents.writeBatch = (collection, writes, checkpoint) => {
    sizes.push(writes.length);
    return writeBatch.call(documents, collection, writes, checkpoint);
  };
  const event = { type: SUBJECT_ERASED, data: { subject: 'anna' }, position: at(count + 1) } as unknown as RecordedEvent;
  return { documents, sizes, erase: () => redactDocuments(documents, 'notes', projection, event, before) };
};

test('an erasure redacts all documents of its subject, and reads and writes at most a hundred at a time', async () => {
  const { documents, sizes, erase } = await opened(NOTES, (n) => (n % 2 === 0 ? 'private' : null));
  expect(await countPersonal(documents, 'notes', projection, 'anna')).toBe(NOTES / 6);
  await erase();
  expect(await countPersonal(documents, 'notes', projection, 'anna')).toBe(0);
  expect(await countPersonal(documents, 'notes', projection, 'ben')).toBe(NOTES / 3);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
});
