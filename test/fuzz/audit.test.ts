import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, upload } from '../e2e/client.ts';
import { startServer } from '../e2e/server.ts';
import { expectNoFault, FUZZ_TIMEOUT, tries } from './budget.ts';
import { faultsOf } from './uploading.ts';

const AUDIT = '/audit-service/api/v1';

interface Shown {
  readonly eventStream: string;
  readonly type: string;
  readonly position: string;
  readonly metadata: { readonly time: string; readonly subject: string };
}

const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    "'",
    '" OR 1=1 --',
    '%',
    '_',
    '\u0000',
    '..',
    'null',
    '-1',
    '1e3',
    '9'.repeat(40),
    'x'.repeat(600),
    '$all',
    '__proto__',
  ),
);
const time = fc.oneof(
  fc.date({ noInvalidDate: false }).map((date) => (Number.isNaN(date.getTime()) ? 'Invalid Date' : date.toISOString())),
  fc.constantFrom(
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-01-01T25:00',
    '0000-00-00',
    '2026-01-01T00:00:00.123456789+14:00',
    '+275760-09-13',
  ),
  odd,
);

test('audit: any query is answered correctly or refused as documented', FUZZ_TIMEOUT, async () => {
  const server = await startServer();
  const { body: made } = await upload(server.url, { streamConfigurationTemplateId: PING_TEMPLATE }, 'bytes');
  await streamEnd(server.url, made.streamId);
  const { body: all } = await call(server.url, `${AUDIT}/events?order=asc`);
  const known: Shown[] = all.content;
  const of = (pick: (event: Shown) => string) => fc.oneof(fc.constantFrom(...known.map(pick)), odd);
  const filters = fc.record(
    {
      order: fc.oneof(fc.constantFrom('asc', 'desc'), odd),
      eventStream: of(({ eventStream }) => eventStream),
      category: fc.oneof(fc.constantFrom('stream', 'templates', 'seals'), odd),
      type: of(({ type }) => type),
      subject: of(({ metadata }) => metadata.subject),
      correlationId: odd,
      from: time,
      to: time,
      after: of(({ position }) => position),
      size: fc.oneof(fc.integer().map(String), fc.integer({ min: 1, max: 20 }).map(String), odd),
      form: fc.oneof(fc.constantFrom('stored', 'readable'), odd),
    },
    { requiredKeys: [] },
  );
  const moment = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 19n }).map(String), fc.nat({ max: 9 }).map(String), time);
  const state = fc.record({
    name: of(({ eventStream }) => eventStream),
    query: fc.record({ asOf: moment, compareWith: moment }, { requiredKeys: [] }),
  });
  const asked = fc.oneof(
    filters.map((query) => ({ kind: 'events' as const, query, name: '' })),
    state.map(({ name, query }) => ({ kind: 'state' as const, query, name })),
  );
  await tries(asked, async ({ kind, name, query }) => {
    const parameters = new URLSearchParams(query);
    if (kind === 'state') {
      const answer = await call(server.url, `${AUDIT}/event-streams/${encodeURIComponent(name)}?${parameters}`);
      expectNoFault(answer);
      if (answer.status === 200 && name) expect(answer.body).toMatchObject({ eventStream: name, revision: expect.stringMatching(/^\d+$/) });
      return;
    }
    const answer = await call(server.url, `${AUDIT}/events?${parameters}`);
    expectNoFault(answer);
    if (answer.status !== 200) return;
    const shown: Shown[] = answer.body.content;
    const positions = shown.map(({ position }) => position);
    const sorted = positions.toSorted();
    expect(positions).toEqual(query.order === 'asc' ? sorted : sorted.reverse());
    if (query.eventStream) for (const one of shown) expect(one.eventStream).toBe(query.eventStream);
    if (query.type) for (const one of shown) expect(one.type).toBe(query.type);
  });
  expect(faultsOf(server)).toEqual([]);
});
