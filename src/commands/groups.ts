import {
  expireInGroup,
  type Finishing,
  finishInGroup,
  type Joining,
  joinGroup,
  reopenInGroup,
  withdrawFromGroup,
} from '../domain/group/decisions.ts';
import { type GroupEvent, groupEventStream } from '../domain/group/events.ts';
import { groupContinued, ownGroupOf, shareOwnGroup, webhooksOf } from '../domain/group/ownGroup.ts';
import { evolveGroup, type GroupAggregate, groupDecider } from '../domain/group/state.ts';
import type { Stream } from '../domain/stream/streamResource.ts';
import type { Limits } from '../limits.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type AppendContext, type CommandDeps, forOwner, type Handled, handle, load } from './handle.ts';
import { handleStream, loadStream } from './loadStream.ts';

export interface JoiningDeps extends CommandDeps {
  readonly limits: Limits;
}

type Decide = (group: GroupAggregate | null) => readonly GroupEvent[];

const loadShared = (log: EventLog, groupId: string): Promise<GroupAggregate | null> => load(log, groupEventStream(groupId), groupDecider);

/** The current group; `null` if it never existed. */
export const loadGroup = async (log: EventLog, groupId: string): Promise<GroupAggregate | null> =>
  (await loadShared(log, groupId)) ?? ownGroupOf(await loadStream(log, groupId));

/** `first`: the first events of the event stream, if it has none yet and something is decided. */
const decidedAfter =
  (first: readonly GroupEvent[], decide: Decide): Decide =>
  (group) => {
    if (group || first.length === 0) return decide(group);
    const decided = decide(first.reduce<GroupAggregate | null>((state, event) => evolveGroup(state, event, ''), null));
    return decided.length > 0 ? [...first, ...decided] : [];
  };

/** `expectNew` skips the reads of a group that probably does not exist. */
const decideGroup = async (
  deps: CommandDeps,
  groupId: string,
  decide: Decide,
  context: AppendContext,
  expectNew = false,
): Promise<Handled<GroupAggregate | null>> => {
  const isKnown = expectNew || (await loadShared(deps.log, groupId)) !== null;
  const first = isKnown ? [] : groupContinued(await loadStream(deps.log, groupId));
  return handle(deps, {
    eventStream: groupEventStream(groupId),
    decider: groupDecider,
    decide: decidedAfter(first, decide),
    context: (group) => forOwner(context, group?.creatorId),
    expectNew,
  });
};

/**
 * Joins a group, which gets an event stream if its first stream had it to itself. `expectNew` skips the reads of a group that probably does not exist.
 * Rejects with a `Problem`: 404 for another owner's group, 409 for an expired one, 429 for a full one.
 */
export const joinStream = async (
  deps: JoiningDeps,
  joining: Joining,
  context: AppendContext,
  expectNew = false,
): Promise<Handled<GroupAggregate | null>> => {
  const { groupId } = joining;
  const most = deps.limits.maxStreamsPerGroup;
  if (!expectNew && (await loadShared(deps.log, groupId)) === null)
    await handleStream(deps, groupId, (first) => shareOwnGroup(first, joining, most), context);
  return decideGroup(deps, groupId, (group) => joinGroup(group, joining, most), context, expectNew);
};

/** An ended attempt of a stream, for its group. */
export const finishingOf = (stream: Stream, ended: Pick<Finishing, 'outcome' | 'attempt'>): Finishing => ({
  groupId: stream.groupId,
  streamId: stream.streamId,
  subject: stream.creatorId,
  webhooks: webhooksOf(stream),
  ...ended,
});

/** For the groups policy: a stream has ended. Repeatable. */
export const finishStreamInGroup = (
  deps: CommandDeps,
  finishing: Finishing,
  context: AppendContext,
): Promise<Handled<GroupAggregate | null>> =>
  decideGroup(deps, finishing.groupId, (group) => finishInGroup(group, finishing), { ...context, subject: finishing.subject });

const forGroup =
  <About extends { groupId: string }>(decide: (group: GroupAggregate | null, about: About) => readonly GroupEvent[]) =>
  (deps: CommandDeps, about: About, context: AppendContext): Promise<Handled<GroupAggregate | null>> =>
    decideGroup(deps, about.groupId, (group) => decide(group, about), context);

type Member = { groupId: string; streamId: string };

/** For the groups policy: a finished stream runs again. Repeatable. */
export const reopenStreamInGroup = forGroup<Member & { attempt: number }>(reopenInGroup);

/** Withdraws a join whose stream was never created. Repeatable. */
export const withdrawStream = forGroup<Member>(withdrawFromGroup);

/** For the groups policy: a finished stream has expired. Repeatable. */
export const expireStreamInGroup = forGroup<Member>(expireInGroup);
