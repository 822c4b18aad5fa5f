import {
  expireInGroup,
  type Finishing,
  finishInGroup,
  groupToCome,
  type Joining,
  joinGroup,
  reopenInGroup,
  withdrawFromGroup,
} from '../domain/group/decisions.ts';
import { type GroupEvent, groupEventStream } from '../domain/group/events.ts';
import { type GroupAggregate, groupDecider } from '../domain/group/state.ts';
import type { Stream } from '../domain/stream/streamResource.ts';
import type { EventLog } from '../stores/log/eventLog.ts';
import { type AppendContext, type Command, type CommandDeps, type Handled, handle, load } from './handle.ts';
import { loadStream } from './loadStream.ts';

type Decide = (group: GroupAggregate | null) => readonly GroupEvent[];

const groupCommand = (
  groupId: string,
  decide: Decide,
  context: AppendContext,
  expectNew = false,
): Command<GroupAggregate | null, GroupEvent> => ({
  eventStream: groupEventStream(groupId),
  decider: groupDecider,
  decide,
  context: (group) => ({ ...context, subject: group?.creatorId ?? context.subject }),
  expectNew,
});

const decideGroup = (
  deps: CommandDeps,
  groupId: string,
  decide: Decide,
  context: AppendContext,
  expectNew = false,
): Promise<Handled<GroupAggregate | null>> => handle(deps, groupCommand(groupId, decide, context, expectNew));

/** `joinStream` of a group with a fresh id, for `handleTogether`. */
export const joinCommand = (joining: Joining, context: AppendContext): Command<GroupAggregate | null, GroupEvent> =>
  groupCommand(joining.groupId, (group) => joinGroup(group, joining), context, true);

/** `finishStreamInGroup`, for `handleTogether`. */
export const finishCommand = (finishing: Finishing, context: AppendContext): Command<GroupAggregate | null, GroupEvent> =>
  groupCommand(finishing.groupId, (group) => finishInGroup(group, finishing), { ...context, subject: finishing.subject });

const recordedGroup = (log: EventLog, groupId: string): Promise<GroupAggregate | null> =>
  load(log, groupEventStream(groupId), groupDecider);

/** The stream whose own group this is; `null` if there is no such stream. */
const founderOf = async (log: EventLog, groupId: string): Promise<Stream | null> => {
  const stream = (await loadStream(log, groupId))?.stream;
  return stream?.groupId === groupId ? stream : null;
};

/** The current group; `null` if it never existed. The events of a stream's own group may still be to come: then it is made from the stream. */
export const loadGroup = async (log: EventLog, groupId: string): Promise<GroupAggregate | null> => {
  const recorded = await recordedGroup(log, groupId);
  if (recorded) return recorded;
  const founder = await founderOf(log, groupId);
  return founder && groupToCome(joiningOf(founder), founder.createdTimestamp);
};

/** `expectNew` skips a read for a group that probably does not exist. Rejects with a `Problem`: 404 for another owner's, 409 for an expired one. */
export const joinStream = async (
  deps: CommandDeps,
  joining: Joining,
  context: AppendContext,
  expectNew = false,
): Promise<Handled<GroupAggregate | null>> => {
  const { groupId, streamId } = joining;
  const mayHaveFounder = groupId !== streamId && !(await recordedGroup(deps.log, groupId));
  const founder = mayHaveFounder ? await founderOf(deps.log, groupId) : null;
  return decideGroup(deps, groupId, (group) => joinGroup(group, joining, founder && joiningOf(founder)), context, expectNew);
};

/** A stream, for its group. */
export const joiningOf = ({ streamId, groupId, creatorId, configuration }: Stream): Joining => ({
  groupId,
  streamId,
  subject: creatorId,
  webhooks: configuration.dynamicWebhookEndpoints.map(({ url, events }) => ({ url, events })),
});

/** An ended attempt of a stream, for its group. */
export const finishingOf = (stream: Stream, ended: Pick<Finishing, 'outcome' | 'attempt'>): Finishing => ({
  ...joiningOf(stream),
  ...ended,
});

/** For the groups policy: a stream has ended. Repeatable. Its own group mostly has no events yet, or is remembered. */
export const finishStreamInGroup = (
  deps: CommandDeps,
  finishing: Finishing,
  context: AppendContext,
): Promise<Handled<GroupAggregate | null>> => {
  const { groupId, streamId, subject } = finishing;
  return decideGroup(deps, groupId, (group) => finishInGroup(group, finishing), { ...context, subject }, groupId === streamId);
};

/** For the groups policy: a finished stream runs again. Repeatable. */
export const reopenStreamInGroup = (
  deps: CommandDeps,
  { groupId, ...reopening }: { groupId: string; streamId: string; attempt: number },
  context: AppendContext,
): Promise<Handled<GroupAggregate | null>> => decideGroup(deps, groupId, (group) => reopenInGroup(group, reopening), context);

/** Withdraws a join whose stream was never created. Repeatable. */
export const withdrawStream = (
  deps: CommandDeps,
  { groupId, streamId }: { groupId: string; streamId: string },
  context: AppendContext,
): Promise<Handled<GroupAggregate | null>> => decideGroup(deps, groupId, (group) => withdrawFromGroup(group, streamId), context);

/** For the groups policy: a finished stream has expired. Repeatable. */
export const expireStreamInGroup = (
  deps: CommandDeps,
  { groupId, streamId }: { groupId: string; streamId: string },
  context: AppendContext,
): Promise<Handled<GroupAggregate | null>> => decideGroup(deps, groupId, (group) => expireInGroup(group, streamId), context);
