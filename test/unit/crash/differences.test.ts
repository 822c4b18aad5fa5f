import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import type { Documents, StoredDocument } from '../../../src/stores/documents.ts';
import { openEmbeddedDocuments } from '../../../src/stores/embedded/documents.ts';
import { differences } from '../../crash/differences.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { documentsWriterInThread } from '../../writersInThread.ts';

describe('the comparison of a read model with its rebuild', () => {
  const bodies: Readonly<Record<string, JsonObject>> = {
    a: { state: 'COMPLETED', runs: [{ attempt: 1 }, { attempt: 2 }] },
    b: { state: 'FAILED', runs: [] },
    c: { state: 'READY', runs: [], reason: null },
  };
  let rebuild: Documents;
  beforeEach(async () => {
    rebuild = await openEmbeddedDocuments({
      startWriter: documentsWriterInThread,
      file: join(temporaryDirectory(), 'views.db'),
      durability: 'NORMAL',
    });
    onTestFinished(() => rebuild.close());
    await rebuild.ensureCollection({ name: 'streams', indexes: [] });
    for (const [id, body] of Object.entries(bodies)) await rebuild.create('streams', id, body);
  });
  async function* stored(changed: Readonly<Record<string, JsonObject | null>> = {}): AsyncGenerator<StoredDocument> {
    for (const [id, body] of Object.entries({ ...bodies, ...changed }).reverse()) if (body) yield { id, position: '', body };
  }

  test('it finds nothing in equal documents, in any order', async () => {
    expect(await differences(stored(), rebuild, 'streams')).toEqual([]);
  });

  test('it finds one changed member, however deep', async () => {
    const changed = { a: { ...bodies.a, runs: [{ attempt: 1 }, { attempt: 3 }] } };
    expect(await differences(stored(changed), rebuild, 'streams')).toEqual([
      'a: runs is [{"attempt":1},{"attempt":3}], [{"attempt":1},{"attempt":2}] in the rebuild',
    ]);
  });

  test('it finds a member that only one of them has, also a null', async () => {
    const changed = { b: { ...bodies.b, reason: null }, c: { state: 'READY', runs: [] } };
    expect(await differences(stored(changed), rebuild, 'streams')).toEqual([
      'c: reason is undefined, null in the rebuild',
      'b: reason is null, undefined in the rebuild',
    ]);
  });

  test('it finds one missing document, and one too many', async () => {
    expect(await differences(stored({ b: null, d: {} }), rebuild, 'streams')).toEqual([
      'd: stored, but not in the rebuild',
      'b: in the rebuild, but not stored',
    ]);
  });
});
