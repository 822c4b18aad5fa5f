import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Decider, handle } from '../../../src/commands/handle.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { expireInGroup, finishInGroup, joinGroup, withdrawFromGroup } from '../../../src/domain/group/decisions.ts';
import type { GroupEvent } from '../../../src/domain/group/events.ts';
import { groupDecider } from '../../../src/domain/group/state.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { newestRuns } from '../../../src/domain/stream/attempts.ts';
import {
  cancelStream,
  completeRun,
  completeUpload,
  createStream,
  expireStream,
  failRun,
  failUpload,
  type RunDecision,
  startRun,
} from '../../../src/domain/stream/decisions.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { type StreamAggregate, streamDecider } from '../../../src/domain/stream/state.ts';
import { verifyChain } from '../../../src/stores/integrity/hashChain.ts';
import type { DomainEvent } from '../../../src/stores/log/eventLog.ts';
import { BY } from '../../fakes/commandRig.ts';
import { completed, failed, link, OTHER, OWNER, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { openedLog } from './openedLog.ts';

/** Runs decisions one after another through the whole cycle, refusals included, and gives the last state of each node's view. */
const played = async <State, E extends DomainEvent>(decider: Decider<State, E>, decisions: readonly ((state: State) => readonly E[])[]) => {
  const { store, log, another } = openedLog(EVENT_SCHEMAS);
  const nodes = [log, another()];
  for (const [i, decide] of decisions.entries()) {
    const node = nodes[i % 2] ?? log;
    await handle({ log: node }, { eventStream: 'x-1', decider, decide, context: BY }).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
    });
  }
  expect(await verifyChain(store.events)).toMatchObject({ ok: true });
  const events = await another().readStream('x-1');
  const folded = events.reduce((state, event) => decider.evolve(state, event as unknown as E, event.metadata.time), decider.initialState());
  expect(JSON.parse(JSON.stringify(folded))).toEqual(folded);
  return { folded, types: events.map(({ type }) => type) };
};

const chain = [link('a', null, 'live'), link('a1', 'a'), link('b', null)];
const unlessStale = (decision: RunDecision): readonly StreamEvent[] => (decision === 'stale' ? [] : decision);
const run = fc.record({ id: fc.constantFrom('a', 'a1', 'b', 'c'), attempt: fc.integer({ min: 1, max: 3 }) });

type StreamDecision = (stream: StreamAggregate | null) => readonly StreamEvent[];
const streamDecisions: fc.Arbitrary<StreamDecision> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<StreamDecision>((s) => createStream(s, streamCreated(chain).data)) },
  {
    weight: 2,
    arbitrary: fc.constant<StreamDecision>((s) => completeUpload(s, uploaded.type === 'UploadCompleted' ? uploaded.data : never())),
  },
  { weight: 1, arbitrary: fc.constant<StreamDecision>((s) => failUpload(s, { reason: 'gone' })) },
  { weight: 1, arbitrary: fc.constant<StreamDecision>(cancelStream) },
  { weight: 1, arbitrary: fc.constant<StreamDecision>((s) => expireStream(s, 'over')) },
  {
    weight: 6,
    arbitrary: run.map(
      ({ id, attempt }): StreamDecision =>
        (s) =>
          unlessStale(startRun(s, { processorId: id, attempt })),
    ),
  },
  {
    weight: 6,
    arbitrary: run.map(
      ({ id, attempt }): StreamDecision =>
        (s) =>
          unlessStale(completeRun(s, completed(id, attempt).data)),
    ),
  },
  {
    weight: 2,
    arbitrary: run.map(
      ({ id, attempt }): StreamDecision =>
        (s) =>
          unlessStale(failRun(s, failed(id, attempt).data)),
    ),
  },
);

const never = (): never => {
  throw new Error('not that');
};

const ENDS = ['StreamCompleted', 'StreamFailed', 'StreamCanceled'];

const isConsistent = (aggregate: StreamAggregate): void => {
  const { stream, upload } = aggregate;
  const runs = newestRuns(aggregate);
  const open = runs.filter(({ state }) => state === 'WAITING' || state === 'RUNNING');
  if (stream.state === 'READY') expect(open.length > 0 || upload.state === 'open').toBe(true);
  else expect(open).toEqual([]);
  if (stream.state === 'COMPLETED') expect([upload.state, ...new Set(runs.map(({ state }) => state))]).toEqual(['completed', 'COMPLETED']);
  expect(stream.finalizedTimestamp === null).toBe(stream.state === 'READY');
};

test('ends a stream at most once under any commands, and its chain verifies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(streamDecisions, { maxLength: 25 }), async (decisions) => {
      const first: StreamDecision = (s) => createStream(s, streamCreated(chain).data);
      const { folded, types } = await played(streamDecider, [first, ...decisions]);
      expect(types.filter((type) => ENDS.includes(type)).length).toBeLessThanOrEqual(1);
      if (!folded) throw new Error('no stream');
      isConsistent(folded);
    }),
    { numRuns: 100 },
  );
}, 60_000);

type GroupDecision = (group: ReturnType<typeof groupDecider.initialState>) => readonly GroupEvent[];
const member = fc.constantFrom('s1', 's2', 's3', '__proto__');
const joining = (streamId: string, subject = OWNER) => ({ groupId: 'g', streamId, subject, webhooks: [] });
const outcome = fc.constantFrom('COMPLETED' as const, 'FAILED' as const);

const groupDecisions: fc.Arbitrary<GroupDecision> = fc.oneof(
  fc.tuple(member, fc.constantFrom(OWNER, OWNER, OTHER)).map(
    ([id, subject]): GroupDecision =>
      (g) =>
        joinGroup(g, joining(id, subject), 10_000),
  ),
  member.map(
    (id): GroupDecision =>
      (g) =>
        withdrawFromGroup(g, { streamId: id }),
  ),
  fc.tuple(member, outcome).map(
    ([id, how]): GroupDecision =>
      (g) =>
        finishInGroup(g, { ...joining(id), outcome: how }),
  ),
  member.map(
    (id): GroupDecision =>
      (g) =>
        expireInGroup(g, { streamId: id }),
  ),
);

test('keeps the state and counts of a group equal to its members under any commands, and its chain verifies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(groupDecisions, { maxLength: 20 }), async (decisions) => {
      const { folded } = await played(groupDecider, decisions);
      if (!folded) return;
      const members = folded.members.entries().map(([, member]) => member);
      const count = (which: (m: (typeof members)[number]) => boolean) => members.filter(which).length;
      expect(folded.counts).toEqual({
        members: members.length,
        finished: count((m) => m.outcome !== null),
        failed: count((m) => m.outcome === 'FAILED'),
        expired: count((m) => m.expired),
      });
      const allFinished = members.length > 0 && folded.counts.finished === members.length;
      const allExpired = members.length > 0 && folded.counts.expired === members.length;
      const ended = folded.counts.failed > 0 ? 'FAILED' : 'COMPLETED';
      expect(folded.state).toBe(allExpired ? 'EXPIRED' : allFinished ? ended : 'CREATED');
    }),
    { numRuns: 100 },
  );
}, 60_000);
