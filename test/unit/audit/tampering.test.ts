import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { soundStatesAt } from '../../../src/audit/soundStates.ts';
import { verifyEventStream, verifyStore } from '../../../src/stores/integrity/verifyStore.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { joined, openSealedLog } from './sealedLog.ts';

let original = '';

/** Five event streams, 23 events, sealed in parts of five; the last three are sealed by time. */
beforeAll(async () => {
  original = mkdtempSync(join(tmpdir(), 'tributary-test-'));
  const { tell, seal, untilSealed, clock, close } = await openSealedLog(original);
  for (let n = 0; n < 20; n++) await tell(`group-${n % 4}`, joined(`s${n}`));
  await tell('group-alone', joined('x'), joined('y'), joined('z'));
  const stop = seal(5);
  await untilSealed([5, 5, 5, 5]);
  await clock.advance(61_000);
  await untilSealed([5, 5, 5, 5, 3]);
  await stop();
  await close();
});

afterAll(() => rmSync(original, { recursive: true, force: true }));

const verified = async (tamper: (log: DatabaseSync) => void, eventStream?: string) => {
  const copy = temporaryDirectory();
  cpSync(original, copy, { recursive: true });
  const database = new DatabaseSync(join(copy, 'log.db'));
  tamper(database);
  database.close();
  const { store, keys, close } = await openSealedLog(copy);
  try {
    return eventStream === undefined ? await verifyStore({ store, keys }) : await verifyEventStream({ store, keys }, eventStream);
  } finally {
    await close();
  }
};

const sql =
  (...statements: string[]) =>
  (log: DatabaseSync) => {
    for (const statement of statements) log.exec(statement);
  };

test('finds nothing in the untouched log', async () => {
  expect(await verified(() => undefined)).toMatchObject({ ok: true, checked: 28, sealed: '00000000000000000023', firstBroken: null });
});

describe('verify names the place of', () => {
  const broken: [what: string, statements: string[], place: object][] = [
    [
      'an edited event',
      [`UPDATE events SET data = '{"streamId":"other"}' WHERE event_stream = 'group-2' AND revision = 1`],
      { eventStream: 'group-2', revision: 1n, position: '00000000000000000007', reason: 'its content does not match its hash' },
    ],
    [
      'an event whose text is no JSON any more',
      [`UPDATE events SET data = '{"streamId":' WHERE event_stream = 'group-2' AND revision = 1`],
      { eventStream: 'group-2', revision: 1n },
    ],
    [
      'an event with white space put in',
      [`UPDATE events SET data = data || ' ' WHERE event_stream = 'group-2' AND revision = 1`],
      { eventStream: 'group-2', revision: 1n, reason: 'its stored text was changed' },
    ],
    [
      'an event dropped in the middle',
      [`DELETE FROM events WHERE event_stream = 'group-1' AND revision = 2`],
      { eventStream: 'group-1', revision: 2n, reason: 'revision 2 is missing: 2 is sealed' },
    ],
    [
      'the cut tail, seals and all',
      ['DELETE FROM events WHERE position > 21'],
      {
        eventStream: 'group-alone',
        revision: 1n,
        position: '00000000000000000021',
        reason: 'revision 1 is missing: 2 is sealed',
      },
    ],
    [
      'the cut end of one event stream',
      [`DELETE FROM events WHERE event_stream = 'group-3' AND revision > 2`],
      { eventStream: 'group-3', revision: 3n, reason: 'revision 3 is missing: 4 is sealed' },
    ],
    [
      'a whole event stream that is gone',
      [`DELETE FROM events WHERE event_stream = 'group-alone'`],
      { eventStream: 'group-alone', revision: 0n, reason: 'the whole event stream is gone: revision 2 is sealed' },
    ],
    [
      'an event moved to another event stream',
      [`UPDATE events SET event_stream = 'group-1', revision = 5 WHERE event_stream = 'group-0' AND revision = 4`],
      { eventStream: 'group-1', revision: 5n },
    ],
    [
      'an event moved to another place in the log',
      [
        // Two events of different event streams change places: their chains still hold.
        'UPDATE events SET position = 1000 WHERE position = 9',
        'UPDATE events SET position = 9 WHERE position = 10',
        'UPDATE events SET position = 10 WHERE position = 1000',
      ],
      { eventStream: 'group-0', revision: 2n, position: '00000000000000000009' },
    ],
    [
      'a changed time',
      [`UPDATE events SET metadata = json_set(metadata, '$.time', '2020-01-01T00:00:00.000Z') WHERE position = 12`],
      { eventStream: 'group-3', revision: 2n, position: '00000000000000000012', reason: 'its content does not match its hash' },
    ],
    [
      'an event put in',
      ["INSERT INTO events SELECT 17000, 'group-new', 0, 0, 'x', type, metadata, data FROM events WHERE position = 1"],
      { eventStream: 'group-new' },
    ],
    [
      'the newest seal that is gone',
      [`DELETE FROM events WHERE event_stream = 'seals' AND revision = 4`],
      { eventStream: 'seals', revision: 4n },
    ],
    [
      'a seal in the middle that is gone',
      [`DELETE FROM events WHERE event_stream = 'seals' AND revision = 2`],
      { eventStream: 'seals', revision: 2n, reason: 'the seal 2 is missing' },
    ],
    ['all seals gone', [`DELETE FROM events WHERE event_stream = 'seals'`], { eventStream: 'seals', revision: 0n }],
  ];
  for (const [what, statements, place] of broken) {
    test(what, async () => {
      const verdict = await verified(sql(...statements));
      expect(verdict?.ok).toBe(false);
      expect(verdict?.firstBroken).toMatchObject(place);
    });
  }
});

test('names the event after which a state can no longer be folded', async () => {
  const copy = temporaryDirectory();
  cpSync(original, copy, { recursive: true });
  const database = new DatabaseSync(join(copy, 'log.db'));
  database.exec(`UPDATE events SET metadata = '{}' WHERE event_stream = 'group-2' AND revision = 1`);
  database.close();
  const { close, ...deps } = await openSealedLog(copy);
  onTestFinished(close);
  await expect(soundStatesAt(deps, 'group-2', [null])).rejects.toMatchObject({
    statusCode: 409,
    message: expect.stringContaining('cannot be folded. It is broken at revision 1: '),
  });
});

test('rejects a signature made with another key', async () => {
  const verdict = await verified(
    sql(`UPDATE events SET data = json_set(data, '$.signature', 'AAAA') WHERE event_stream = 'seals' AND revision = 1`),
  );
  expect(verdict?.firstBroken).toMatchObject({ eventStream: 'seals', revision: 1n });
});

describe('one event stream', () => {
  test('verifies by itself', async () => {
    expect(await verified(() => undefined, 'group-1')).toMatchObject({ ok: true, checked: 5, firstBroken: null });
  });
  test('is found by the seals if its end was cut off', async () => {
    const verdict = await verified(sql(`DELETE FROM events WHERE event_stream = 'group-1' AND revision = 4`), 'group-1');
    expect(verdict).toMatchObject({ ok: false, firstBroken: { eventStream: 'group-1', revision: 4n } });
  });
  test('is found by the seals if it was removed', async () => {
    const verdict = await verified(sql(`DELETE FROM events WHERE event_stream = 'group-1'`), 'group-1');
    expect(verdict).toMatchObject({ ok: false, checked: 0, firstBroken: { eventStream: 'group-1', revision: 0n } });
  });
  test('of the seals is found by the vault if its end was cut off', async () => {
    const verdict = await verified(sql(`DELETE FROM events WHERE event_stream = 'seals' AND revision > 2`), 'seals');
    expect(verdict).toMatchObject({ ok: false, checked: 3, firstBroken: { eventStream: 'seals', revision: 3n } });
  });
  test('reports an unknown event stream as empty', async () => {
    expect(await verified(() => undefined, 'group-none')).toBeNull();
  });
});
