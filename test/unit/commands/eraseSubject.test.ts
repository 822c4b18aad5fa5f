import { expect, test } from 'vitest';
import { AuditTrail } from '../../../src/commands/auditTrail.ts';
import { type EraseDeps, eraseSubject } from '../../../src/commands/eraseSubject.ts';
import { loadStream } from '../../../src/commands/loadStream.ts';
import type { Expiries } from '../../../src/commands/openStreams/expiries.ts';
import { beginUpload } from '../../../src/commands/upload.ts';
import { DamagedEventStream } from '../../../src/stores/eventStore.ts';
import { BY, commandRig, planOf } from '../../fakes/commandRig.ts';
import { OWNER } from '../../fakes/streamStory.ts';

/** Of one stream. */
const TOPICS = 2;
const ADMIN = { ...BY, subject: 'admin' };
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Streams of one person, and how many of their topics were being deleted at the same time. */
const given = async (count: number) => {
  const { deps, store, keys, clock, topics } = commandRig(count);
  for (let n = 0; n < count; n += 1) await beginUpload(deps, planOf({ streamId: idOf(n) }), BY);
  let [ending, most] = [0, 0];
  const remove = topics.delete.bind(topics);
  topics.delete = async (topic) => {
    ending += 1;
    most = Math.max(most, ending);
    await new Promise((resolve) => setImmediate(resolve));
    ending -= 1;
    return remove(topic);
  };
  // An erasure only removes them.
  const expiries = { remove: async () => {} } as unknown as Expiries;
  const trail = new AuditTrail(deps.log);
  const erasing: Omit<EraseDeps, 'linkedPeople'> = { ...deps, keys, topics, expiries, clock, trail, personalPlaces: [] };
  const erase = async (subject = OWNER, linked: readonly string[] = []) => {
    let isOver = false;
    const erased = eraseSubject({ ...erasing, linkedPeople: async () => linked }, subject, ADMIN).finally(() => {
      isOver = true;
    });
    erased.catch(() => undefined);
    while (!isOver) await clock.advance(1_000);
    return erased;
  };
  const statesOf = async () =>
    Promise.all(Array.from({ length: count }, async (_, n) => (await loadStream(deps.log, idOf(n)))?.stream.state));
  return { store, keys, erase, statesOf, most: () => most };
};

test('an erasure ends streams together', async () => {
  const { erase, statesOf, most } = await given(40);
  await erase();
  expect(new Set(await statesOf())).toEqual(new Set(['EXPIRED']));
  expect(most()).toBeGreaterThan(2 * TOPICS);
});

test('an erasure counts what the people who are linked to the subject had', async () => {
  const { keys, erase } = await given(2);
  await keys.subjectKey('library', { create: true });
  const report = await erase('library', [OWNER]);
  expect(report).toMatchObject({ subject: 'library', streamsCanceled: 2, keysDestroyed: 2 });
});

test('an erasure with a damaged event stream ends all others before it fails', async () => {
  const { store, erase, statesOf } = await given(3);
  store.events = store.events.map((event) =>
    event.eventStream === `stream-${idOf(1)}` ? { ...event, metadata: { ...event.metadata, schemaVersion: 'none' } } : event,
  );
  await expect(erase()).rejects.toThrow(DamagedEventStream);
  store.events = store.events.filter(({ eventStream }) => eventStream !== `stream-${idOf(1)}`);
  expect(await statesOf()).toEqual(['EXPIRED', undefined, 'EXPIRED']);
});
