import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, call, getStream, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { type RunningServer, startServer } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { expectErrorShape, FUZZ_TIMEOUT, tries } from './budget.ts';

/** A row of the log changed below the codec, as no program of this platform would write it. */
interface Damage {
  /** Which event, as a share of the log. */
  readonly at: number;
  readonly column: 'data' | 'metadata' | 'type';
  readonly change: string | ((before: string) => string);
  /** A copy at the end of its event stream, instead of the event itself. */
  readonly appended: boolean;
}

const rubbish = fc.oneof(fc.json(), fc.string(), fc.constantFrom('', '{', 'null', '[]', '7', '{"__proto__":{}}', '{}', '{"streamId":[]}'));
const withMember = (member: string, value: unknown) => (before: string) => {
  const parsed: unknown = JSON.parse(before);
  return JSON.stringify({ ...Object(parsed), [member]: value });
};
const damage: fc.Arbitrary<Damage> = fc
  .tuple(
    fc.double({ min: 0, max: 0.999, noNaN: true }),
    fc.oneof(
      fc.record({ column: fc.constantFrom('data' as const, 'metadata' as const), change: rubbish }),
      fc.record({
        column: fc.constant('metadata' as const),
        change: fc
          .tuple(
            fc.constantFrom('schemaVersion', 'time', 'subject', 'hash'),
            fc.oneof(fc.integer(), fc.constantFrom(null, '', 'x', 99, 1, 0, -1, 1.5), fc.jsonValue({ maxDepth: 1 })),
          )
          .map(([member, value]) => withMember(member, value)),
      }),
      fc.record({
        column: fc.constant('type' as const),
        change: fc.oneof(fc.constantFrom('__proto__', 'StreamCompleted', 'SubjectErased', 'Unknown'), fc.string()),
      }),
    ),
    fc.boolean(),
  )
  .map(([at, { column, change }, appended]) => ({ at, column, change, appended }));

/** Credentials and the audit trail are recorded in these: without them no request is possible. */
const SPARED = ['credentials', 'audit'];

interface Row {
  readonly position: number;
  readonly event_stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly metadata: string;
  readonly data: string;
}

/** Changes events, or appends changed copies of them, which projections then read. Returns the changed event streams. */
const damaged = (dataDir: string, all: readonly Damage[]): Set<string> => {
  const db = new DatabaseSync(join(dataDir, 'log.db'));
  const spared = SPARED.map((category) => `event_stream NOT LIKE '${category}-%'`).join(' AND ');
  const touched = new Set<string>();
  for (const { at, column, change, appended } of all) {
    // The columns of a STRICT table.
    const rows = db.prepare(`SELECT * FROM events WHERE ${spared} ORDER BY position`).all() as unknown[] as Row[];
    const row = rows[Math.floor(at * rows.length)];
    if (!row) throw new Error('the log has events');
    const after = typeof change === 'string' ? change : changed(row[column], change);
    if (after === row[column] && !appended) continue;
    touched.add(row.event_stream);
    if (!appended) {
      db.prepare(`UPDATE events SET ${column} = ? WHERE position = ?`).run(after, row.position);
      continue;
    }
    const copy: Row = { ...row, [column]: after };
    const last = rows.filter(({ event_stream }) => event_stream === row.event_stream).at(-1)?.revision ?? 0;
    db.prepare('INSERT INTO events SELECT max(position) + 1, ?, ?, ?, ?, ?, ?, ? FROM events').run(
      ...[row.event_stream, last + 1, Date.now(), randomUUID(), copy.type, copy.metadata, copy.data],
    );
  }
  db.close();
  return touched;
};

/** Text that is no longer JSON stays as it is. */
const changed = (before: string, change: (before: string) => string): string => {
  try {
    return change(before);
  } catch {
    return before;
  }
};

/** Every read model continues, or gives a reason why not. */
const expectReasons = (url: string): Promise<boolean> =>
  eventually(async () => {
    const { status, body } = await call(url, '/operations-service/api/v1/projections');
    expect(status).toBe(200);
    for (const { name, state, error } of body) expect([name, state, error]).toSatisfy(() => state === 'live' || error !== null);
    return true;
  }, 30_000);

/** Damaged data are also answered in the documented shape. */
const expectAnswer = ({ status, body }: Answer): void => {
  if (status >= 300) expectErrorShape(status, body);
};

const examine = async (server: RunningServer, streams: readonly string[], touched: ReadonlySet<string>): Promise<void> => {
  const { url } = server;
  await expectReasons(url);
  for (const streamId of streams) {
    expectAnswer(await getStream(url, streamId));
    expectAnswer(await call(url, `/stream-service/api/v1/streams/${streamId}/components`));
    expectAnswer(await call(url, `/audit-service/api/v1/event-streams/stream-${streamId}`));
  }
  const listed = await call(url, '/audit-service/api/v1/events?size=1000');
  expect(listed.status).toBe(200);
  expectAnswer(await upload(url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'one more'));
  const verdict = await call(url, '/audit-service/api/v1/verify');
  expect(verdict.body.ok).toBe(touched.size === 0);
  if (!verdict.body.ok) expect([...touched]).toContain(verdict.body.firstBroken.eventStream);
  expect((await call(url, '/health/live', { key: null })).status).toBe(200);
  expect(server.process.exitCode).toBeNull();
};

test('events: garbage in the log stops only its readers, with a reason; the server lives, and verify names it', FUZZ_TIMEOUT, async () => {
  const origin = temporaryDirectory();
  const first = await startServer({ dataDir: origin });
  const [streams, ends]: [string[], string[]] = [[], []];
  // The last one fails: its outcomes have types that are upcast from an older version.
  const given = [
    [PING_TEMPLATE, 'All is well.'],
    [TEXT_TEMPLATE, 'All is well.'],
    [TEXT_TEMPLATE, Buffer.from('fffefd', 'hex')],
  ] as const;
  for (const [template, bytes] of given) {
    const { body } = await upload(first.url, { streamConfigurationTemplateId: template, persist: 'true', name: 'whose' }, bytes);
    ends.push((await streamEnd(first.url, body.streamId)).state);
    streams.push(body.streamId);
  }
  expect(ends).toEqual(['COMPLETED', 'COMPLETED', 'FAILED']);
  expect(await first.stop()).toBe(0);
  await tries(fc.array(damage, { minLength: 1, maxLength: 3 }), async (all) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tributary-fuzz-'));
    cpSync(origin, dataDir, { recursive: true });
    const touched = damaged(dataDir, all);
    const server = await startServer({ dataDir });
    try {
      await examine(server, streams, touched);
    } finally {
      await server.kill();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
